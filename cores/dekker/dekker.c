/* Mutual exclusion by Th. J. Dekker, as E. W. Dijkstra tells it in Cooperating Sequential Processes
 * (1965), for two processes that share two flags and a turn. It shows properties that must come true:
 * in every run that is fair to each step of each process, process 0 gets in.
 *
 * BUG 1 is the fourth attempt of that text: whoever sees the other's wish takes back his own, and
 * both can go on so for ever.
 *
 * expect: verdict=pass liveness=exact distinct=56 generated=105 depth=12
 * expect: set=LEAD=255 verdict=pass liveness=exact distinct=10256 generated=20505 depth=2052
 * expect: bug=1 verdict=violated property="process 0 gets in" lasso=2 trace_len=7 distinct=39
 */

#include "dekker.h"

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    size_t count = 0;
    (void)node;
    for (uint8_t p = 0; p < PROCESSES; p++) {
        if (s->at[p] == WAITS && s->turn != p)
            continue;
        if (count < cap)
            actions[count] = (CmcEvent){.id = s->at[p], .peer = p};
        count++;
    }
    return count;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)index;
    (void)out;
    s->lead = (uint16_t)(node->settings[LEAD] * 8);
    s->at[1] = ASKS;
}

/* The other one wants to go in too: who insists, and who takes his wish back? */
static void give_way(State *s, uint8_t p)
{
#if BUG == 1
    s->wants[p] = 0;
    s->at[p] = ASKS;
#else
    if (s->turn != p) {
        s->wants[p] = 0;
        s->at[p] = WAITS;
    }
#endif
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t p = event->peer;
    (void)node;
    (void)out;
    switch (s->at[p]) {
    case SETS_OUT:
        if (s->lead > 0)
            s->lead--;
        else
            s->at[p] = ASKS;
        break;
    case WAITS:
    case ASKS:
        s->wants[p] = 1;
        s->at[p] = LOOKS;
        break;
    case LOOKS:
        if (s->wants[1 - p]) {
            give_way(s, p);
        } else {
            s->at[p] = IS_IN;
            s->been_in[p] = 1;
        }
        break;
    default:
        s->turn = (uint8_t)(1 - p);
        s->wants[p] = 0;
        s->at[p] = ASKS;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "dekker",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
