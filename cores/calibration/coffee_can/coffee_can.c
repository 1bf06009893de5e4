/* The coffee can problem, C. S. Scholten's, published by D. Gries, The Science of Programming,
 * 1981, as A. Helwer specified it (github tlaplus/Examples, specifications/CoffeeCan): take two
 * beans out, put one back.
 *
 * Default (MaxBeanCount=100), with a deadlock check: TypeInvariant holds; 5150 distinct and 20002
 * generated states, depth 1, since every state is initial. */

#include "../actions.h"
#include "coffee_can.h"

enum { PICK_SAME_COLOR_WHITE, PICK_SAME_COLOR_BLACK, PICK_DIFFERENT_COLOR, TERMINATION };

/* All pairs of counts whose sum is 1 to MaxBeanCount. */
static uint32_t initial_count(const CmcNode *node)
{
    unsigned max = max_bean_count(node->settings);
    return max * (max + 3) / 2;
}

/* How many pairs, (0, 0) included, have fewer than `black` black beans. */
static unsigned pairs_below(unsigned max, unsigned black)
{
    return black * (max + 1) - black * (black - 1) / 2;
}

/* Black beans first, then white: look for the last count of black beans that has no more than
 * `index` pairs below, (0, 0) being left out. */
static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    unsigned max = max_bean_count(node->settings), place = index + 1, low = 0, high = max;
    (void)out;
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (pairs_below(max, middle) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    s->black = (uint16_t)low;
    s->white = (uint16_t)(place - pairs_below(max, low));
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned beans = (unsigned)s->black + s->white;
    (void)node;
    if (s->white >= 2)
        act(&to, PICK_SAME_COLOR_WHITE, 0);
    if (s->black >= 2)
        act(&to, PICK_SAME_COLOR_BLACK, 0);
    if (s->black >= 1 && s->white >= 1)
        act(&to, PICK_DIFFERENT_COLOR, 0);
    if (beans == 1)
        act(&to, TERMINATION, 0);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case PICK_SAME_COLOR_WHITE:
        s->white = (uint16_t)(s->white - 2);
        s->black++;
        break;
    case PICK_SAME_COLOR_BLACK:
    case PICK_DIFFERENT_COLOR:
        s->black--;
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "CoffeeCan",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
