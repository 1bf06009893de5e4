/* Two-phase commit: J. Gray, L. Lamport, "Consensus on transaction commit", ACM Transactions on
 * Database Systems 31(1), 2006; its specification TwoPhase. One transaction manager, RMS resource
 * managers, and messages that are never removed, so that receiving one again is a step to the same
 * state.
 *
 * RMS=8: 1745408 distinct and 18507778 generated states, depth 26. */

#include "../../calibration/actions.h"
#include "../sets.h"
#include "two_phase.h"

enum { TM_COMMIT, TM_ABORT, TM_HEAR, RM_PREPARE, RM_CHOOSE_ABORT, RM_COMMIT, RM_ABORT };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void list(Actions *to, unsigned id, unsigned set)
{
    for (; set; set &= set - 1)
        act(to, id, first_of(set));
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const TwoPhase *s = state;
    const unsigned all = (1u << node->settings[RMS]) - 1;
    const unsigned working = all & ~(unsigned)(s->sent | s->committed | s->aborted);
    Actions to = {actions, cap, 0};

    list(&to, RM_PREPARE, working);
    list(&to, RM_CHOOSE_ABORT, working);
    switch (s->tm) {
    case TM_INIT:
        if (s->heard == all)
            act(&to, TM_COMMIT, 0);
        act(&to, TM_ABORT, 0);
        list(&to, TM_HEAR, s->sent);
        break;
    case TM_COMMITTED:
        list(&to, RM_COMMIT, all);
        break;
    default:
        list(&to, RM_ABORT, all);
        break;
    }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint16_t rm = (uint16_t)(1u << event->peer);
    const uint16_t others = (uint16_t)~rm;
    TwoPhase *s = state;

    (void)node, (void)out;
    switch (event->id) {
    case TM_COMMIT:
        s->tm = TM_COMMITTED;
        break;
    case TM_ABORT:
        s->tm = TM_ABORTED;
        break;
    case TM_HEAR:
        s->heard |= rm;
        break;
    case RM_PREPARE:
        s->sent |= rm;
        break;
    case RM_COMMIT:
        s->committed |= rm;
        s->aborted &= others;
        break;
    default:
        s->aborted |= rm;
        s->committed &= others;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "two_phase",
    .state_size = sizeof(TwoPhase),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
