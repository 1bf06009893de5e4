/* Every kind of event, with padding that stays zero and bytes that nobody looks at. */

#include <cmc_core.h>

typedef struct State {
    uint32_t log[3]; // durable
    uint8_t mark;
    uint64_t total;
} State;

typedef struct Message {
    uint8_t kind;
    uint32_t term;
} Message;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    s->mark = (uint8_t)index;
    cmc_arm(out, node->id);
    cmc_wake(out, 1);
}

static void say(const CmcNode *node, const State *s, CmcOut *out)
{
    Message message;
    memset(&message, 0, sizeof message);
    message.kind = 1;
    message.term = s->log[0];
    for (uint8_t i = 0; i < node->nodes; i++)
        cmc_send(out, i, &message, sizeof message);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t unused[8];
    uint32_t next[3] = {s->log[1], s->log[2], s->log[0] + 1};
    unused[event->id % 8] = event->kind;
    s->total += unused[event->id % 8];
    switch (event->kind) {
    case CMC_EV_MESSAGE: {
        Message message;
        if (event->len != sizeof message)
            break;
        memcpy(&message, event->data, sizeof message);
        s->total ^= message.term;
        break;
    }
    case CMC_EV_TIMER:
        say(node, s, out);
        cmc_cancel(out, event->id);
        break;
    case CMC_EV_CLIENT:
        cmc_persist(out, next, sizeof next);
        break;
    case CMC_EV_FLUSHED:
        cmc_reply(out, event->data, event->len);
        cmc_wake(out, 7);
        break;
    default:
        cmc_arm(out, 15);
    }
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    memcpy(durable, record, len);
    (void)node;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "ring",
    .state_size = sizeof(State),
    .durable_size = 12,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
