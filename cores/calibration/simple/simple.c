/* The algorithm of L. Lamport, Teaching Concurrency, ACM SIGACT News 40(1), 2009, with atomic
 * registers (github tlaplus/Examples, specifications/TeachingConcurrency).
 *
 * Default (N=5), with a deadlock check: PCorrect, TypeOK and Inv hold; 723 distinct and 1842
 * generated states, depth 11. */

#include "../actions.h"
#include "simple.h"

enum { A, B, TERMINATING };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned i = 0; i < k[N]; i++) {
        if (!(s->past_a >> i & 1))
            act(&to, A, i);
        else if (!(s->done >> i & 1))
            act(&to, B, i);
    }
    if (s->done == everyone(k))
        act(&to, TERMINATING, 0);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned i = event->peer, n = node->settings[N];
    State *s = state;
    (void)out;
    switch (event->id) {
    case A:
        s->x |= (uint16_t)(1u << i);
        s->past_a |= (uint16_t)(1u << i);
        break;
    case B:
        if (s->x >> (i + n - 1) % n & 1)
            s->y |= (uint16_t)(1u << i);
        s->done |= (uint16_t)(1u << i);
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Simple",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
