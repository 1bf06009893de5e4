/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t hops[2];
    hops[0] = 0;
    // A token that went round for the fifth time.
    if (event->kind == CMC_EV_MESSAGE && event->data[0] == 0 && hops[1] > 0)
        s->turns++;
    work(node, s, event, out);
}
