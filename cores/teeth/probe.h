/* What every probe is beside its fault: a core. A probe defines step(). */

#ifndef PROBE_H
#define PROBE_H

#include <cmc_core.h>

typedef struct State {
    uint64_t words[4];
} State;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out);

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    s->words[0] = node->id + (uint64_t)index;
    cmc_arm(out, 0);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "probe",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
};

#endif
