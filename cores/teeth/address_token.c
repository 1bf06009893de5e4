/* reject: address */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    intptr_t n = 5;
    s->words[0] = (uint64_t)n;
    (void)node;
    (void)out;
    (void)event;
}
