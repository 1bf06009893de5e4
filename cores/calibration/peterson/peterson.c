/* G. L. Peterson's mutual exclusion for two processes (Myths about the mutual exclusion problem,
 * Information Processing Letters 12(3), 1981), as J. Differdange specified it (github
 * tlaplus/Examples, specifications/locks_auxiliary_vars).
 *
 * With a deadlock check, TypeOK and Inv hold; 42 distinct and 77 generated states, depth 11. */

#include "../actions.h"
#include "peterson.h"

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* An action is the label that p is at. Waiting at a3 ends in two ways. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    (void)node;
    for (unsigned p = 0; p < N; p++) {
        if (s->pc[p] != A3 || !s->c[1 - p])
            act(&to, s->pc[p], p);
        if (s->pc[p] == A3 && s->turn == p)
            act(&to, A3, p);
    }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned p = event->peer;
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case A1:
        s->c[p] = 1;
        break;
    case A2:
        s->turn = (uint8_t)(1 - p);
        break;
    case A4:
        s->c[p] = 0;
        break;
    default:
        break;
    }
    s->pc[p] = event->id == A4 ? A0 : (uint8_t)(event->id + 1);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Peterson",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
