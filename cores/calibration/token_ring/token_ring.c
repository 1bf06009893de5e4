/* E. W. Dijkstra's self-stabilizing token ring (EWD426, 1974), as M. Demirbas and M. Kuppe
 * specified it (github tlaplus/Examples, specifications/ewd426).
 *
 * Default (N=6 M=6), without a deadlock check: TypeOK holds; 46656 distinct and 248832 generated
 * states, depth 1, since every state is initial. */

#include "../actions.h"
#include "token_ring.h"

enum { CREATE_TOKEN, PASS_TOKEN };

/* M^N: every assignment. */
static uint32_t initial_count(const CmcNode *node)
{
    uint32_t count = 1;
    for (unsigned i = 0; i < node->settings[N]; i++)
        count *= node->settings[M];
    return count;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    for (unsigned i = k[N]; i-- > 0; index /= k[M])
        s->c[i] = (uint8_t)(index % k[M]);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    if (s->c[0] == s->c[k[N] - 1])
        act(&to, CREATE_TOKEN, 0);
    for (unsigned i = 1; i < k[N]; i++)
        if (s->c[i] != s->c[i - 1])
            act(&to, PASS_TOKEN, i);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    if (event->id == CREATE_TOKEN)
        s->c[0] = (uint8_t)((s->c[k[N] - 1] + 1) % k[M]);
    else
        s->c[event->peer] = s->c[event->peer - 1];
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "TokenRing",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
