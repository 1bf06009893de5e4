/* reject: uninitialised-effect */

#include "plant.h"

typedef struct Vote {
    uint8_t from;
    uint32_t term;
} Vote;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Vote vote;
    vote.from = node->id;
    vote.term = s->turns;
    if (event->kind == CMC_EV_WAKE)
        cmc_send(out, 0, &vote, sizeof vote);
    work(node, s, event, out);
}
