/* reject: crash */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    static const uint8_t *const texts[] = {(const uint8_t *)"a", NULL};
    s->turns += *texts[event->kind == CMC_EV_RESET];
    work(node, s, event, out);
}
