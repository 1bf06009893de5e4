/* reject: floating-point
 * object: floating-point */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)((double)s->words[1] * 1.5);
    (void)node;
    (void)out;
    (void)event;
}
