/* reject: uninitialised-effect */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t text[12];
    memcpy(text, "vote ", 5);
    if (event->kind == CMC_EV_TIMER)
        cmc_persist(out, text, sizeof text);
    work(node, s, event, out);
}
