/* reject: uninitialised-read */

#include "plant.h"

static const uint8_t table[256] = {1, 2, 3};

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t places[2];
    places[0] = event->id;
    s->turns += table[places[1]];
    work(node, s, event, out);
}
