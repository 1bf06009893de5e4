/* reject: volatile */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    volatile uint64_t n = s->words[0];
    s->words[0] = n + 1;
    (void)node;
    (void)out;
    (void)event;
}
