/* Ways to pass out on, through functions of the core's own header and by another name. */

#include "outs.h"

typedef struct State {
    Vote vote;
    uint8_t log[24];
} State;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)out, (void)index;
    s->vote.from = node->id;
}

static bool answered(const CmcNode *node, State *s, CmcOut *const out)
{
    CmcOut *same = (out);
    vote(node, same, s->vote);
    cmc_reply(same, "done", 4);
    return s->vote.term > 3;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *const s = state;
    struct { uint32_t n; uint8_t o[3]; } other = {0}, *o = &other;
    o->n = event->id;
    o->o[1] = event->len;
    s->log[0] = (uint8_t)(other.n + other.o[1]);
    if (event->kind == CMC_EV_MESSAGE)
        s->vote = vote_of(event);
    if (!answered(node, s, out))
        (cmc_arm)(out, 1);
}

_Static_assert(sizeof(State) == 32, "no padding");

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "outs",
    .state_size = sizeof(State),
    .initial_count = NULL,
    .init = init,
    .step = step,
    .apply_persist = NULL,
    .direct_actions = NULL,
};
