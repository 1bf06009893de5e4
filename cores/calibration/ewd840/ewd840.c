/* E. W. Dijkstra's termination detection on a ring (EWD840, with W. H. J. Feijen and A. J. M. van
 * Gasteren, 1983), as S. Merz specified it (github tlaplus/Examples, specifications/ewd840).
 *
 * Default (N=3), without a deadlock check: TypeOK, TerminationDetection and Inv hold; 302 distinct
 * and 2001 generated states, depth 9. */

#include "../actions.h"
#include "ewd840.h"

enum { INITIATE_PROBE, PASS_TOKEN, SEND_MSG, DEACTIVATE };

/* Every activity, color and place of the token. */
static uint32_t initial_count(const CmcNode *node)
{
    return (uint32_t)node->settings[N] << 2 * node->settings[N];
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    unsigned n = node->settings[N], all = (1u << n) - 1;
    State *s = state;
    (void)out;
    s->active = (uint8_t)(index & all);
    s->black = (uint8_t)(index >> n & all);
    s->tpos = (uint8_t)(index >> 2 * n);
    s->token_black = 1;
}

/* One action for each alternative of the guard that is true. */
static void list_token(Actions *to, const State *s, unsigned i)
{
    if (i != s->tpos)
        return;
    if (i == 0) {
        if (s->token_black)
            act(to, INITIATE_PROBE, i);
        if (s->black & 1)
            act(to, INITIATE_PROBE, i);
        return;
    }
    if (!(s->active >> i & 1))
        act(to, PASS_TOKEN, i);
    if (s->black >> i & 1)
        act(to, PASS_TOKEN, i);
    if (s->token_black)
        act(to, PASS_TOKEN, i);
}

static void list_node(Actions *to, const uint8_t *k, const State *s, unsigned i)
{
    if (!(s->active >> i & 1))
        return;
    for (unsigned j = 0; j < k[N]; j++)
        if (j != i)
            act1(to, SEND_MSG, i, j);
    act(to, DEACTIVATE, i);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    Actions to = {actions, cap, 0};
    for (unsigned i = 0; i < k[N]; i++)
        list_token(&to, state, i);
    for (unsigned i = 0; i < k[N]; i++)
        list_node(&to, k, state, i);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned i = event->peer, j = event->data[0];
    State *s = state;
    (void)out;
    switch (event->id) {
    case INITIATE_PROBE:
        s->tpos = (uint8_t)(node->settings[N] - 1);
        s->token_black = 0;
        s->black &= (uint8_t)~1u;
        break;
    case PASS_TOKEN:
        s->tpos--;
        if (s->black >> i & 1)
            s->token_black = 1;
        s->black &= (uint8_t) ~(1u << i);
        break;
    case SEND_MSG:
        s->active |= (uint8_t)(1u << j);
        if (j > i)
            s->black |= (uint8_t)(1u << i);
        break;
    default:
        s->active &= (uint8_t) ~(1u << i);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "EWD840",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
