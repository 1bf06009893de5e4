/* K. S. Booth, Lexicographically least circular substrings, Information Processing Letters 10(4),
 * 1980, as A. Helwer specified it. Counts: model MCLeastCircularSubstringSmall, github
 * tlaplus/Examples. Labels are the line numbers of the paper.
 *
 * Default (Characters=2 MaxStringLength=6), with a deadlock check: TypeInvariant and Correctness
 * hold; 8554 distinct and 8681 generated states, depth 95. */

#include "../../calibration/actions.h"
#include "least_circular_substring.h"

enum { STEP };

/* How many strings are shorter than `len`. */
static uint32_t shorter(unsigned characters, unsigned len)
{
    uint32_t count = 0, power = 1;
    for (unsigned i = 0; i < len; i++, power *= characters)
        count += power;
    return count;
}

static uint32_t initial_count(const CmcNode *node)
{
    return shorter(node->settings[CHARACTERS], node->settings[MAX_STRING_LENGTH] + 1u);
}

/* Every string, short ones first. */
static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    unsigned characters = node->settings[CHARACTERS];
    State *s = state;
    (void)out;
    while (index >= shorter(characters, s->n + 1u))
        s->n++;
    index -= shorter(characters, s->n);
    for (unsigned place = 0; place < s->n; place++, index /= characters)
        s->b[place] = (uint8_t)(index % characters);
    s->j = 1;
    s->pc = L3;
}

/* One step is always possible; when all is done it changes nothing. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    (void)node;
    act(&to, s->pc, 0);
    return to.count;
}

/* Where b[k + i + 1] is, nil being -1. */
static unsigned candidate(const State *s)
{
    return (unsigned)s->k + s->i;
}

static bool differs(const State *s)
{
    return at(s, s->j) != at(s, candidate(s));
}

static bool is_smaller(const State *s)
{
    return at(s, s->j) < at(s, candidate(s));
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)event, (void)out;
    switch (s->pc) {
    case L3:
        s->pc = s->j < 2 * s->n ? L5 : DONE;
        break;
    case L5:
        s->i = s->f[s->j - s->k - 1];
        s->pc = L6;
        break;
    case L6:
        s->pc = differs(s) && s->i != 0 ? L7 : L10;
        break;
    case L7:
        s->pc = is_smaller(s) ? L8 : L9;
        break;
    case L8:
        s->k = (uint8_t)(s->j - s->i);
        s->pc = L9;
        break;
    case L9:
        s->i = s->f[s->i - 1];
        s->pc = L6;
        break;
    case L10:
        s->pc = differs(s) && s->i == 0 ? L11 : L14;
        break;
    case L11:
        s->pc = is_smaller(s) ? L12 : L13;
        break;
    case L12:
        s->k = s->j;
        s->pc = L13;
        break;
    case L13:
        s->f[s->j - s->k] = 0;
        s->pc = LVR;
        break;
    case L14:
        s->f[s->j - s->k] = (uint8_t)(s->i + 1);
        s->pc = LVR;
        break;
    case LVR:
        s->j++;
        s->pc = L3;
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "LeastCircularSubstring",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
