/* The puzzle of the film Die Hard 3, as L. Lamport specified it (github tlaplus/Examples,
 * specifications/DieHard): measure the goal with two jugs.
 *
 * Default (Big=5 Small=3 Goal=4), with a deadlock check: NotSolved is violated by a trace of 7
 * states, after 14 distinct and 73 generated ones. */

#include "../actions.h"
#include "die_hard.h"

enum { FILL_SMALL_JUG, FILL_BIG_JUG, EMPTY_SMALL_JUG, EMPTY_BIG_JUG, SMALL_TO_BIG, BIG_TO_SMALL };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* All six are always possible. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    Actions to = {actions, cap, 0};
    (void)node, (void)state;
    for (unsigned id = FILL_SMALL_JUG; id <= BIG_TO_SMALL; id++)
        act(&to, id, 0);
    return to.count;
}

/* Pour what `from` has into `to`, which holds `room`. */
static void pour(uint8_t *from, uint8_t *to, uint8_t room)
{
    unsigned both = (unsigned)*from + *to;
    *to = both < room ? (uint8_t)both : room;
    *from = (uint8_t)(both - *to);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    switch (event->id) {
    case FILL_SMALL_JUG:
        s->small = k[SMALL];
        break;
    case FILL_BIG_JUG:
        s->big = k[BIG];
        break;
    case EMPTY_SMALL_JUG:
        s->small = 0;
        break;
    case EMPTY_BIG_JUG:
        s->big = 0;
        break;
    case SMALL_TO_BIG:
        pour(&s->small, &s->big, k[BIG]);
        break;
    default:
        pour(&s->big, &s->small, k[SMALL]);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "DieHard",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
