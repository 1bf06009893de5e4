/* reject: indirect-call */

#include "probe.h"

static uint64_t one(uint64_t n) { return n + 1; }
static uint64_t (*pick(void))(uint64_t) { return one; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = pick()(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
