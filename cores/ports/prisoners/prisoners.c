/* The puzzle of prisoners who find out, by two switches in a room that they visit one at a time and
 * in any order, that all have been there. Counts: module Prisoners by L. Lamport, github
 * tlaplus/Examples.
 *
 * Default (4 prisoners), with a deadlock check: TypeOK, Safety and CountInvariant hold; 214
 * distinct and 860 generated states, depth 14. */

#include "../../calibration/actions.h"
#include "prisoners.h"

enum { COUNTER_STEP, NON_COUNTER_STEP };

/* The switches are in any position. */
static uint32_t initial_count(const CmcNode *node)
{
    (void)node;
    return 4;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    s->switchAUp = index & 1;
    s->switchBUp = index >> 1 & 1;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    Actions to = {actions, cap, 0};
    (void)state;
    act(&to, COUNTER_STEP, COUNTER);
    for (unsigned i = 1; i < node->settings[PRISONERS]; i++)
        act(&to, NON_COUNTER_STEP, i);
    return to.count;
}

/* Who has nothing to say by switch A moves switch B. */
static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned i = event->peer;
    State *s = state;
    (void)node, (void)out;
    if (event->id == COUNTER_STEP && s->switchAUp) {
        s->switchAUp = 0;
        s->count++;
    } else if (event->id == NON_COUNTER_STEP && !s->switchAUp && s->timesSwitched[i] < 2) {
        s->switchAUp = 1;
        s->timesSwitched[i]++;
    } else {
        s->switchBUp = !s->switchBUp;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Prisoners",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
