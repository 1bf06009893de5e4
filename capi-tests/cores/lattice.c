/* COUNTERS counters that go up to settings[0], one step at a time: every order is a way to the top. As
 * a specification of shared registers, it lists its actions itself. */

#include <cmc_core.h>

enum { COUNTERS = 6 };

typedef struct {
    uint64_t counter[COUNTERS];
} State;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    State *state = memory;
    (void)node, (void)out;
    state->counter[event->id]++;
}

static size_t direct_actions(const CmcNode *node, const void *memory, CmcEvent *actions, size_t cap)
{
    const State *state = memory;
    size_t count = 0;
    for (uint8_t id = 0; id < COUNTERS; id++)
        if (state->counter[id] < node->settings[0]) {
            if (count < cap)
                actions[count].id = id;
            count++;
        }
    return count;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "lattice",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
