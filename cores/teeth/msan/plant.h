/* What every planted bug is beside itself: a core of three nodes that pass a token on and persist what
 * they saw. A core with a bug defines step(), and init() or apply_persist() where it says PLANT_OWN_INIT or
 * PLANT_OWN_PERSIST. */

#ifndef PLANT_H
#define PLANT_H

#include <cmc_core.h>

typedef struct State {
    uint32_t seen; // durable
    uint32_t turns;
    uint8_t mark;
    uint64_t total; // behind seven bytes of padding
} State;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out);
static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out);
static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len);

#ifndef PLANT_OWN_INIT
static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    s->mark = (uint8_t)(node->id + index);
    cmc_arm(out, 1);
}
#endif

#ifndef PLANT_OWN_PERSIST
static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    if (len == sizeof(uint32_t))
        memcpy(durable, record, len);
    (void)node;
}
#endif

/* What a step does when it does nothing wrong. */
static inline void work(const CmcNode *node, State *s, const CmcEvent *event, CmcOut *out)
{
    s->turns++;
    switch (event->kind) {
    case CMC_EV_MESSAGE:
        if (event->len == 1 && event->data[0] > 0) {
            uint8_t left = event->data[0] - 1;
            cmc_send(out, (uint8_t)((node->id + 1) % node->nodes), &left, 1);
        }
        break;
    case CMC_EV_TIMER:
    case CMC_EV_CLIENT:
        cmc_send(out, (uint8_t)((node->id + 1) % node->nodes), &(uint8_t){5}, 1);
        cmc_persist(out, &s->turns, sizeof s->turns);
        break;
    case CMC_EV_FLUSHED:
        cmc_wake(out, 2);
        break;
    case CMC_EV_WAKE:
        cmc_reply(out, "done", 4);
        break;
    default:
        cmc_arm(out, 3);
    }
    s->total += event->kind;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "plant",
    .state_size = sizeof(State),
    .durable_size = sizeof(uint32_t),
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};

#endif
