/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    CmcEvent copy;
    copy.kind = event->kind;
    switch (copy.id) {
    case 0: s->turns++; break;
    case 1: s->turns--; break;
    default: s->turns = 0;
    }
    work(node, s, event, out);
}
