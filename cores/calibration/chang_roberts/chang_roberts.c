/* Leader election in a ring: E. Chang and R. Roberts, An improved algorithm for decentralized
 * extrema-finding in circular configurations of processes, Communications of the ACM 22(5), 1979,
 * as S. Merz specified it, with the smallest identifier as winner (github tlaplus/Examples,
 * specifications/chang_roberts). Identifiers are the numbers of the nodes.
 *
 * Default (N=3), without a deadlock check: TypeOK and Correctness hold; 137 distinct and 227
 * generated states, depth 10. */

#include "../actions.h"
#include "chang_roberts.h"

static uint32_t initial_count(const CmcNode *node)
{
    return 1u << node->settings[N];
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)out;
    s->initiator = (uint8_t)index;
    for (unsigned n = 0; n < node->settings[N]; n++)
        s->state[n] = index >> n & 1 ? CAND : LOST;
}

/* An action is the label that the node is at. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned nodes = node->settings[N];
    for (unsigned n = 0; n < nodes; n++) {
        if (s->pc[n] == N0)
            act(&to, N0, n);
        for (unsigned id = 0; s->pc[n] == N1 && id < nodes; id++)
            if (s->msgs[n] >> id & 1)
                act1(&to, N1, n, id);
    }
    return to.count;
}

static void send_on(const uint8_t *k, State *s, unsigned n, unsigned id)
{
    s->msgs[(n + 1) % k[N]] |= (uint8_t)(1u << id);
}

/* Larger identifiers stop at a candidate. */
static void receive(const uint8_t *k, State *s, unsigned n, unsigned id)
{
    s->msgs[n] &= (uint8_t) ~(1u << id);
    if (s->state[n] != LOST && id < n)
        s->state[n] = LOST;
    else if (s->state[n] != LOST && id == n)
        s->state[n] = WON;
    if (s->state[n] == LOST)
        send_on(k, s, n, id);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    unsigned n = event->peer;
    State *s = state;
    (void)out;
    if (event->id == N1) {
        receive(k, s, n, event->data[0]);
        return;
    }
    if (s->initiator >> n & 1)
        send_on(k, s, n, n);
    s->pc[n] = N1;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "ChangRoberts",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
