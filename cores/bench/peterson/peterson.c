/* Mutual exclusion of N processes: G. L. Peterson, "Myths about the mutual exclusion problem",
 * Information Processing Letters 12(3), 1981. A process climbs N - 1 levels; it may go on from a
 * level when another has come there after it, or when nobody else is that high. Every reading and
 * every writing of a shared variable is an action of its own.
 *
 * N=5: 9497519 distinct and 41983044 generated states, depth 84. */

#include "../../calibration/actions.h"
#include "peterson.h"

enum { TRY, CLIMB, ENTER, COME_LAST, LOOK, PASS, LEAVE };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* Which actions are possible nobody can predict; so each is written down, in the place of the last one if
 * that is not possible, and nothing branches. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    static const uint8_t firsts[16] = {TRY,  CLIMB, COME_LAST, LEAVE, LOOK, LOOK, LOOK,
                                       LOOK, LOOK,  LOOK,      LOOK,  LOOK, LOOK};
    const unsigned n = node->settings[N];
    const Peterson *s = state;
    Actions to = {actions, cap, 0};

    for (unsigned i = 0; i < n; i++) {
        const unsigned l = level(s, i), d = doing(s, i), k = d - Q3;
        const bool q3 = d >= Q3;
        const bool looks = (k < n) & ((k == i) | (level(s, k % MAX_N) < l));
        const bool passes = q3 & ((k == n) | (s->last[(l - 1) % MAX_N] != i));
        const unsigned first = firsts[d] + ((d == WAIT) & (l == n - 1));
        act(&to, first, i);
        to.count -= !(looks | !q3);
        act(&to, PASS, i);
        to.count -= !passes;
    }
    return to.count;
}

/* What an action makes of the byte of its process: these bits stay, and this is added. */
static const struct {
    uint8_t stays, added;
} moves[] = {
    [TRY] = {0xf0, WAIT},     [CLIMB] = {0xf0, 1 << 4 | Q2}, [ENTER] = {0xf0, CRITICAL},
    [COME_LAST] = {0xf0, Q3}, [LOOK] = {0xff, 1},            [PASS] = {0xf0, WAIT},
    [LEAVE] = {0, IDLE},
};

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Peterson *s = state;
    const unsigned i = event->peer, byte = s->process[i];

    (void)node, (void)out;
    s->process[i] = (uint8_t)((byte & moves[event->id].stays) + moves[event->id].added);
    if (event->id == COME_LAST)
        s->last[(byte >> 4) - 1] = (uint8_t)i;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "peterson",
    .state_size = sizeof(Peterson),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
