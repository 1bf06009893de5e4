/* reject: floating-point */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)(2.5 * 2);
    (void)node;
    (void)out;
    (void)event;
}
