/* reject: address */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = *(const uint64_t *)0x400000;
    (void)node;
    (void)out;
    (void)event;
}
