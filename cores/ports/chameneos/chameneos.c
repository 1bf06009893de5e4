/* Chameneos: creatures that meet in pairs and change their colors, a concurrency benchmark of C.
 * Kaiser and J.-F. Pradat-Peyre, Chameneos, a Concurrency Game for Java, Ada and Others, 2003.
 * Counts: module Chameneos by M. Ryndzionek, github tlaplus/Examples.
 *
 * Default (N=4 M=4), without a deadlock check: TypeOK and SumMet hold; 34534 distinct and 104697
 * generated states, depth 13. */

#include "../../calibration/actions.h"
#include "chameneos.h"

enum { MEET };

/* Every coloring. */
static uint32_t initial_count(const CmcNode *node)
{
    uint32_t count = 1;
    for (unsigned c = 0; c < node->settings[M]; c++)
        count *= COLORS;
    return count;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)out;
    for (unsigned c = 0; c < node->settings[M]; c++, index /= COLORS)
        s->color[c] = (uint8_t)(index % COLORS);
}

/* A creature that has not faded goes to the meeting place, unless it is there. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned c = 0; c < node->settings[M]; c++)
        if (s->color[c] != FADED && s->meetingPlace != c + 1)
            act(&to, MEET, c);
    return to.count;
}

/* Two of one color keep it; two of different colors take the third. */
static uint8_t complement(uint8_t first, uint8_t second)
{
    return first == second ? first : (uint8_t)(COLORS - first - second);
}

static void meet(State *s, unsigned c)
{
    unsigned other = s->meetingPlace - 1u;
    s->color[c] = s->color[other] = complement(s->color[c], s->color[other]);
    s->met[c]++;
    s->met[other]++;
    s->meetingPlace = 0;
    s->numMeetings++;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    uint8_t c = event->peer;
    State *s = state;
    (void)out;
    if (s->meetingPlace != 0)
        meet(s, c);
    else if (s->numMeetings < node->settings[N])
        s->meetingPlace = (uint8_t)(c + 1);
    else
        s->color[c] = FADED;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Chameneos",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
