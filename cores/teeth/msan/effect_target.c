/* reject: uninitialised-effect */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t timers[2];
    timers[0] = 1;
    if (event->kind == CMC_EV_RESET)
        cmc_arm(out, timers[1]);
    work(node, s, event, out);
}
