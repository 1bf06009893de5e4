/* reject: const */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_WAKE)
        ((CmcNode *)node)->nodes--;
    work(node, s, event, out);
}
