/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t votes[3];
    votes[0] = 1;
    for (int i = 0; i < 3; i++)
        if (votes[i] > 0)
            s->turns++;
    work(node, s, event, out);
}
