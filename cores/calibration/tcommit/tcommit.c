/* Transaction commit, of J. Gray and L. Lamport, Consensus on Transaction Commit, ACM TODS 31(1),
 * 2006, as L. Lamport specified it (github tlaplus/Examples, specifications/transaction_commit).
 *
 * Default (RM=3), without a deadlock check: TCTypeOK and TCConsistent hold; 34 distinct and 94
 * generated states, depth 7. */

#include "../actions.h"
#include "tcommit.h"

enum { PREPARE, COMMIT, ABORT };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static bool can_commit(const uint8_t *k, const State *s)
{
    for (unsigned r = 0; r < k[RM]; r++)
        if (s->rmState[r] != PREPARED && s->rmState[r] != COMMITTED)
            return false;
    return true;
}

static bool not_committed(const uint8_t *k, const State *s)
{
    for (unsigned r = 0; r < k[RM]; r++)
        if (s->rmState[r] == COMMITTED)
            return false;
    return true;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned r = 0; r < k[RM]; r++) {
        if (s->rmState[r] == WORKING)
            act(&to, PREPARE, r);
        if (s->rmState[r] == PREPARED && can_commit(k, s))
            act(&to, COMMIT, r);
        if (s->rmState[r] <= PREPARED && not_committed(k, s))
            act(&to, ABORT, r);
    }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    static const uint8_t becomes[] = {PREPARED, COMMITTED, ABORTED};
    State *s = state;
    (void)node, (void)out;
    s->rmState[event->peer] = becomes[event->id];
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "TCommit",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
