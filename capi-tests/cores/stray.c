/* Writes where it must not. Settings: in which function, and at which offset from the state (signed);
 * 127 is behind the room for effects or actions, 126 the state that direct_actions may only read. With
 * ONCE it does so one time only at each offset. */

#include <cmc_core.h>

enum { INIT = 1, STEP, APPLY_PERSIST, DIRECT_ACTIONS };

typedef struct {
    uint8_t durable, kept, steps;
} State;

static void stray(const CmcNode *node, void *state, uint8_t where, uint8_t *behind)
{
    int8_t offset = (int8_t)node->settings[1];
    if (node->settings[0] != where)
        return;
#ifdef ONCE
    static int8_t last;
    if (offset == last)
        return;
    last = offset;
#endif
    if (offset == 127)
        *behind ^= 1;
    else if (offset == 126)
        *(uint8_t *)state ^= 1;
    else
        ((uint8_t *)state)[offset] ^= 1;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)index;
    stray(node, state, INIT, (uint8_t *)(out + 1));
#ifndef DIRECT
    cmc_persist(out, "", 1);
#endif
}

static void step(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    State *state = memory;
    (void)event;
    state->steps++;
    stray(node, state, STEP, (uint8_t *)(out + 1));
}

#ifdef DIRECT
static size_t direct_actions(const CmcNode *node, const void *memory, CmcEvent *actions, size_t cap)
{
    const State *state = memory;
    stray(node, (void *)memory, DIRECT_ACTIONS, (uint8_t *)(actions + cap));
    return state->steps < 2 ? 3 : 0;
}
#else
static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    State *state = durable;
    (void)record, (void)len;
    state->durable++;
    stray(node, state, APPLY_PERSIST, NULL);
}
#endif

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "stray",
    .state_size = sizeof(State),
#ifdef DIRECT
    .direct_actions = direct_actions,
#else
    .durable_size = 1,
    .apply_persist = apply_persist,
#endif
    .init = init,
    .step = step,
};
