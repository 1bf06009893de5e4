/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (node->settings[0] > 3)
        s->turns++;
    work(node, s, event, out);
}
