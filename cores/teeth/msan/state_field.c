/* reject: uninitialised-state */

#include "plant.h"

static uint64_t total_of(const CmcEvent *event)
{
    uint64_t total;
    if (event->kind != CMC_EV_RESET)
        total = event->kind;
    return total;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
    s->total = total_of(event);
}
