/* reject: indirect-call */

#include "probe.h"

static uint64_t one(uint64_t n) { return n + 1; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint64_t (*f)(uint64_t) = one;
    s->words[0] = (*f)(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
