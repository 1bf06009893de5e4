/* reject: address */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    *(const void **)s = event;
    (void)node;
    (void)out;
}
