/* All that a core may call: memcpy() and its kin, in forms that compilers turn into each other. */

#include <cmc_core.h>

typedef struct State {
    uint8_t log[64], copy[64];
    uint32_t length, found;
} State;

typedef struct Big {
    State states[8];
} Big;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    memset(s->log, (int)index, sizeof s->log);
    for (size_t i = 0; i < sizeof s->copy; i++) // becomes memset() or memcpy()
        s->copy[i] = 0;
    s->length = node->nodes;
    cmc_persist(out, s->log, 8);
}

static State changed(State s)
{
    s.length++;
    return s;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Big big;
    memcpy(s->log, event->data, event->len);
    memmove(s->copy + 1, s->copy, sizeof s->copy - 1);
    if (memcmp(s->copy, s->log, sizeof s->log) == 0) // becomes bcmp()
        s->found++;
    const uint8_t *at = memchr(s->log, event->id, sizeof s->log);
    s->found += at != NULL ? (uint32_t)(at - s->log) : 0;
    for (size_t i = 0; i < 8; i++)
        big.states[i] = *s;
    big.states[event->id % 8].found++;
    *s = changed(big.states[node->id % 8]);
    cmc_send(out, 0, s->copy, 16);
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    memcpy(durable, record, len < 8 ? len : 8);
    (void)node;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "memory",
    .state_size = sizeof(State),
    .durable_size = 8,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
