/* reject: indirect-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_RESTART)
        cmc_core.init(node, 0, s, out);
}
