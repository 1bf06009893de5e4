/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_MESSAGE && event->data[1] != 0)
        s->turns++;
    work(node, s, event, out);
}
