/* reject: uninitialised-state */

#define PLANT_OWN_INIT

#include "plant.h"

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State first;
    first.seen = first.turns = index;
    first.mark = node->id;
    first.total = 0;
    memcpy(state, &first, sizeof first);
    cmc_arm(out, 1);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
}
