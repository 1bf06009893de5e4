/* Depends on more than it is given. Settings: in what its second run differs from its first. */

#include <cmc_core.h>

enum {
    NOTHING,
    COUNTS_CALLS,
    READS_ITS_ADDRESS,
    BREAKS_A_RULE,
    COUNTS_INITIAL,
    INITIAL_STATE,
    LISTS_FEWER,
    LISTS_ANOTHER,
};

typedef struct {
    uint32_t steps, noise;
} State;

static uint32_t calls;

static uint32_t initial_count(const CmcNode *node)
{
    return node->settings[0] == COUNTS_INITIAL ? 1 + calls++ % 2 : 1;
}

static void init(const CmcNode *node, uint32_t index, void *memory, CmcOut *out)
{
    State *state = memory;
    (void)index;
    if (node->settings[0] == INITIAL_STATE)
        state->noise = calls++;
#ifndef DIRECT
    cmc_arm(out, 0);
#else
    (void)out;
#endif
}

static void step(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    State *state = memory;
    if (++state->steps < 3)
        return;
    switch (node->settings[0]) {
    case COUNTS_CALLS:
        state->noise = calls++;
        break;
    case READS_ITS_ADDRESS:
        state->noise = (uint32_t)((uintptr_t)memory >> 4);
        break;
    case BREAKS_A_RULE:
        if (calls++ % 2)
            cmc_wake(out, 8);
        break;
    case LISTS_ANOTHER:
        state->noise = event->peer;
        break;
    }
}

#ifdef DIRECT
static size_t direct_actions(const CmcNode *node, const void *memory, CmcEvent *actions, size_t cap)
{
    const State *state = memory;
    size_t count = state->steps < 4 ? 2 : 0;
    if (cap < 2)
        return count;
    memset(actions, 0, 2 * sizeof *actions);
    actions[1].peer = 1;
    if (node->settings[0] == LISTS_FEWER && state->steps == 2)
        return calls++ % 2;
    if (node->settings[0] == LISTS_ANOTHER && state->steps == 2)
        actions[0].peer = (uint8_t)calls++;
    return count;
}
#else
static void step_again(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    step(node, memory, event, out);
    if (((State *)memory)->steps < 4)
        cmc_arm(out, 0);
}
#endif

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "fickle",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
#ifdef DIRECT
    .step = step,
    .direct_actions = direct_actions,
#else
    .step = step_again,
#endif
};
