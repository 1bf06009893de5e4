/* Two-phase commit, of J. Gray and L. Lamport, Consensus on Transaction Commit, ACM TODS 31(1),
 * 2006, as L. Lamport specified it (github tlaplus/Examples, specifications/transaction_commit).
 *
 * Default (RM=3), with a deadlock check: TPTypeOK and TCConsistent hold; 288 distinct and 1146
 * generated states, depth 11. */

#include "../actions.h"
#include "two_phase.h"

enum {
    TM_COMMIT,
    TM_ABORT,
    TM_RCV_PREPARED,
    RM_PREPARE,
    RM_CHOOSE_TO_ABORT,
    RM_RCV_COMMIT_MSG,
    RM_RCV_ABORT_MSG,
};

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void list_rm(Actions *to, const State *s, unsigned r)
{
    if (s->tmState == INIT && s->prepared >> r & 1)
        act(to, TM_RCV_PREPARED, r);
    if (s->rmState[r] == WORKING)
        act(to, RM_PREPARE, r);
    if (s->rmState[r] == WORKING)
        act(to, RM_CHOOSE_TO_ABORT, r);
    if (s->commit)
        act(to, RM_RCV_COMMIT_MSG, r);
    if (s->abort)
        act(to, RM_RCV_ABORT_MSG, r);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned rms = node->settings[RM];
    if (s->tmState == INIT && s->tmPrepared == (1u << rms) - 1)
        act(&to, TM_COMMIT, 0);
    if (s->tmState == INIT)
        act(&to, TM_ABORT, 0);
    for (unsigned r = 0; r < rms; r++)
        list_rm(&to, s, r);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned r = event->peer;
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case TM_COMMIT:
        s->tmState = COMMITTED;
        s->commit = 1;
        break;
    case TM_ABORT:
        s->tmState = ABORTED;
        s->abort = 1;
        break;
    case TM_RCV_PREPARED:
        s->tmPrepared |= (uint8_t)(1u << r);
        break;
    case RM_PREPARE:
        s->rmState[r] = PREPARED;
        s->prepared |= (uint8_t)(1u << r);
        break;
    case RM_RCV_COMMIT_MSG:
        s->rmState[r] = COMMITTED;
        break;
    default:
        s->rmState[r] = ABORTED;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "TwoPhase",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
