/* reject: uninitialised-state */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t marks[4];
    marks[0] = 1;
    if (event->kind == CMC_EV_RESTART)
        s->mark = marks[1];
    work(node, s, event, out);
}
