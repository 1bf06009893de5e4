/* reject: endless */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    while (event->kind == CMC_EV_RESTART && s->turns == 0)
        s->mark++;
    work(node, s, event, out);
}
