/* The algorithm of L. Lamport, Teaching Concurrency, ACM SIGACT News 40(1), 2009, with regular
 * registers: one that is being written reads as old or as new (github tlaplus/Examples,
 * specifications/TeachingConcurrency).
 *
 * Default (N=8), with a deadlock check: PCorrect, TypeOK and Inv hold; 277726 distinct and 1454776
 * generated states, depth 25. */

#include "../actions.h"
#include "simple_regular.h"

enum { TERMINATING = DONE };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)index, (void)out;
    for (unsigned i = 0; i < node->settings[N]; i++)
        set_two_bits(&s->x, i, ONLY_0);
}

/* An action is the label that i is at; a read has one for each value. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned n = node->settings[N], done = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned pc = two_bits(s->pc, i), read = two_bits(s->x, (i + n - 1) % n);
        if (pc == DONE)
            done++;
        else if (pc != B)
            act(&to, pc, i);
        for (unsigned v = 0; pc == B && v <= 1; v++)
            if (read >> v & 1)
                act1(&to, B, i, v);
    }
    if (done == n)
        act(&to, TERMINATING, 0);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned i = event->peer;
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case A1:
        set_two_bits(&s->x, i, BOTH);
        set_two_bits(&s->pc, i, A2);
        break;
    case A2:
        set_two_bits(&s->x, i, ONLY_1);
        set_two_bits(&s->pc, i, B);
        break;
    case B:
        s->y |= (uint32_t)event->data[0] << i;
        set_two_bits(&s->pc, i, DONE);
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "SimpleRegular",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
