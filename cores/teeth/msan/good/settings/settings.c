/* A core with settings, an unordered network, duplicates and several initial worlds; its model.c says so,
 * and refuses settings that this state has no room for. */

#include <cmc_core.h>

typedef struct State {
    uint8_t sent[4], got[4];
} State;

static uint32_t initial_count(const CmcNode *node)
{
    return node->settings[1];
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    ((State *)state)->got[0] = (uint8_t)(index + node->settings[0]);
    (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    if (event->kind == CMC_EV_CLIENT)
        for (uint8_t i = 0; i < node->settings[0]; i++) {
            s->sent[i]++;
            cmc_send(out, i % node->nodes, &event->id, 1);
        }
    else if (event->kind == CMC_EV_MESSAGE)
        s->got[event->peer]++;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "settings",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
};
