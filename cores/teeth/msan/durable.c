/* reject: durable */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_FLUSHED)
        s->seen++;
    work(node, s, event, out);
}
