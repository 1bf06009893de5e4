/* The hour clock of L. Lamport, Specifying Systems, chapter 2 (github tlaplus/Examples,
 * specifications/SpecifyingSystems/HourClock).
 *
 * With a deadlock check, HCini holds; 12 distinct and 24 generated states, depth 1. */

#include "../actions.h"
#include "hour_clock.h"

enum { HC_NXT };

static uint32_t initial_count(const CmcNode *node)
{
    (void)node;
    return 12;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    s->hr = (uint8_t)(index + 1);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    Actions to = {actions, cap, 0};
    (void)node, (void)state;
    act(&to, HC_NXT, 0);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)event, (void)out;
    s->hr = s->hr == 12 ? 1 : (uint8_t)(s->hr + 1);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "HourClock",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
