/* A core that lists its actions itself, 250 in each of 2048 worlds: 512001 generated states. */

#include "../../calibration/actions.h"
#include "../busy.h"

enum { WORLDS = 2048, CHOICES = 250 };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    Actions to = {actions, cap, 0};

    (void)node, (void)state;
    for (unsigned choice = 0; choice < CHOICES; choice++)
        act(&to, 0, choice);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)out;
    spin(state, WORLDS, node->settings[SPINS], event->peer, CHOICES);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "busy",
    .state_size = sizeof(Busy),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
