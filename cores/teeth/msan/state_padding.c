/* reject: uninitialised-state */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    State next;
    next.seen = s->seen;
    next.turns = s->turns;
    next.mark = event->kind;
    next.total = s->total + 1;
    *s = next; // with its padding
    work(node, s, event, out);
}
