/* reject: const */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_CLIENT)
        ((CmcEvent *)event)->id = 7;
    work(node, s, event, out);
}
