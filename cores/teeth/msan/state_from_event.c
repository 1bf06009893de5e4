/* reject: uninitialised-state */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_MESSAGE)
        memcpy(&s->turns, event->data, sizeof s->turns); // the message has one byte
    work(node, s, event, out);
}
