/* Leaves behind what nobody may see in the next listing: an action that it writes and does not count, bytes
 * behind the end of an action, and what a step writes to its event. In its second state it lists two
 * actions and writes none of their fields, so they are zero, and both lead to the same state. */

#include <cmc_core.h>

typedef struct {
    uint8_t round, seen;
} State;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    State *state = memory;
    CmcEvent *mine = (CmcEvent *)event;
    (void)node, (void)out;
    state->seen |= event->data[0] | event->data[31];
    if (state->round == 1)
        state->seen |= event->peer | event->id | event->len;
    state->round++;
    mine->peer = mine->id = mine->len = mine->data[0] = 16;
}

static size_t direct_actions(const CmcNode *node, const void *memory, CmcEvent *actions, size_t cap)
{
    const State *state = memory;
    (void)node, (void)cap;
    if (state->round > 0)
        return state->round == 1 ? 2 : 0;
    for (uint8_t i = 0; i < 2; i++) {
        actions[i].peer = actions[i].id = i + 1;
        actions[i].data[0] = actions[i].data[31] = 4;
    }
    actions[1].len = 8;
    return 1;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "leavings",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
