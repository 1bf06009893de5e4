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

static void list_q3(Actions *to, const Peterson *s, unsigned n, unsigned i)
{
    const unsigned k = doing(s, i) - Q3;

    if (k < n && (k == i || level(s, k) < level(s, i)))
        act(to, LOOK, i);
    if (k == n || s->last[level(s, i) - 1] != i)
        act(to, PASS, i);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const unsigned n = node->settings[N];
    const Peterson *s = state;
    Actions to = {actions, cap, 0};

    for (unsigned i = 0; i < n; i++) {
        switch (doing(s, i)) {
        case IDLE:
            act(&to, TRY, i);
            break;
        case WAIT:
            act(&to, level(s, i) < n - 1 ? CLIMB : ENTER, i);
            break;
        case Q2:
            act(&to, COME_LAST, i);
            break;
        case CRITICAL:
            act(&to, LEAVE, i);
            break;
        default:
            list_q3(&to, s, n, i);
            break;
        }
    }
    return to.count;
}

static void go(Peterson *s, unsigned i, unsigned to_level, unsigned to)
{
    s->process[i] = (uint8_t)(to_level << 4 | to);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const unsigned i = event->peer;
    Peterson *s = state;

    (void)node, (void)out;
    switch (event->id) {
    case TRY:
        go(s, i, 0, WAIT);
        break;
    case CLIMB:
        go(s, i, level(s, i) + 1, Q2);
        break;
    case ENTER:
        go(s, i, level(s, i), CRITICAL);
        break;
    case COME_LAST:
        s->last[level(s, i) - 1] = (uint8_t)i;
        go(s, i, level(s, i), Q3);
        break;
    case LOOK:
        go(s, i, level(s, i), doing(s, i) + 1);
        break;
    case PASS:
        go(s, i, level(s, i), WAIT);
        break;
    default:
        go(s, i, 0, IDLE);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "peterson",
    .state_size = sizeof(Peterson),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
