/* A token goes round. A node that waits too long for it and was never told that it is lost makes a
 * new one, if BUG is 1: then two nodes may hold one. BUG 2: it answers a client before the record of
 * it is on disk. */

#include <cmc_core.h>

typedef struct {
    /* Durable: how often it had the token. */
    uint8_t turns;
    uint8_t holds, lost, asked;
} State;

enum { PATIENCE = 3, TURNS = 0 };

static void init(const CmcNode *node, uint32_t index, void *memory, CmcOut *out)
{
    State *state = memory;
    (void)index;
    if (node->id == 0)
        state->holds = 1;
    cmc_arm(out, PATIENCE);
}

static void step(const CmcNode *node, void *memory, const CmcEvent *event, CmcOut *out)
{
    State *state = memory;
    uint8_t next = (uint8_t)((node->id + 1) % node->nodes);
    switch (event->kind) {
    case CMC_EV_CLIENT:
        if (state->holds) {
            uint8_t turn = (uint8_t)(state->turns + 1);
            cmc_persist(out, &turn, 1);
#if BUG == 2
            cmc_reply(out, &turn, 1);
#endif
        }
        break;
    case CMC_EV_FLUSHED:
#if BUG != 2
        cmc_reply(out, event->data, event->len);
#endif
        if (state->holds) {
            state->holds = 0;
            cmc_send(out, next, "token", 5);
        }
        break;
    case CMC_EV_MESSAGE:
        state->holds = 1;
        break;
    case CMC_EV_TIMER:
#if BUG == 1
        state->holds = 1;
#endif
        break;
    case CMC_EV_RESET:
        state->lost = 1;
        break;
    default:
        break;
    }
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    State *state = durable;
    (void)node;
    if (len == 1)
        state->turns = record[0];
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "token",
    .state_size = sizeof(State),
    .durable_size = 1,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
