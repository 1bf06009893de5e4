/* The missionaries and cannibals puzzle, as L. Lamport specified it (github tlaplus/Examples,
 * specifications/MissionariesAndCannibals): cross a river in a boat for two, and let cannibals
 * nowhere outnumber missionaries.
 *
 * Default (3 of each), with a deadlock check: Solution is violated by a trace of 12 states, after
 * 61 distinct and 225 generated ones. */

#include "../actions.h"
#include "missionaries_and_cannibals.h"

enum { MOVE };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)index, (void)out;
    s->east = (uint16_t)((1u << people(node->settings)) - 1);
    s->bank_of_boat = EAST;
}

/* In how many of two ways `who` is safe on one bank: there is no missionary, or cannibals do not
 * outnumber missionaries. */
static unsigned safe(const uint8_t *k, unsigned who)
{
    unsigned missionaries = bits_count(who & ((1u << k[MISSIONARIES]) - 1));
    unsigned cannibals = bits_count(who >> k[MISSIONARIES]);
    return (missionaries == 0 ? 1u : 0u) + (cannibals <= missionaries ? 1u : 0u);
}

/* One action for each pair of ways in which both banks are safe then. */
static void list_move(Actions *to, const uint8_t *k, const State *s, unsigned first,
                      unsigned second)
{
    unsigned passengers = 1u << first | 1u << second;
    unsigned here = who_is_on_bank(k, s, s->bank_of_boat);
    unsigned there = who_is_on_bank(k, s, !s->bank_of_boat);
    if ((passengers & ~here) != 0)
        return;
    unsigned ways = safe(k, here & ~passengers) * safe(k, there | passengers);
    while (ways-- > 0)
        act2(to, MOVE, 0, first, second);
}

/* One passenger, then two. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    Actions to = {actions, cap, 0};
    for (unsigned first = 0; first < people(k); first++)
        list_move(&to, k, state, first, first);
    for (unsigned first = 0; first < people(k); first++)
        for (unsigned second = first + 1; second < people(k); second++)
            list_move(&to, k, state, first, second);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    s->east ^= (uint16_t)(1u << event->data[0] | 1u << event->data[1]);
    s->bank_of_boat = !s->bank_of_boat;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "MissionariesAndCannibals",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
