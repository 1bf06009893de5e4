/* reject: not-a-function */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
    s->total = (uint64_t)(uintptr_t)&s;
}
