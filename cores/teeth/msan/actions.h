/* For the bugs in calibration mode: a core that lists its actions by list(). */

#ifndef ACTIONS_H
#define ACTIONS_H

#include <cmc_core.h>

typedef struct State {
    uint64_t turns;
} State;

static size_t list(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap);

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    ((State *)state)->turns = node->id + (uint64_t)index;
    (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    ((State *)state)->turns += event->id;
    (void)node;
    (void)out;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "actions",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = list,
};

#endif
