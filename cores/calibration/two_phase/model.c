/* The parameters, invariants and traces of TwoPhase. */

#include "../predicates.h"
#include "../text.h"
#include "two_phase.h"

static bool tp_type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned r = 0; r < k[RM]; r++)
        if (s->rmState[r] > ABORTED)
            return false;
    return s->tmState != PREPARED && s->tmState <= ABORTED &&
           (s->tmPrepared | s->prepared) >> k[RM] == 0;
}

/* What TwoPhase implements. */
static bool tc_consistent(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned r = 0; r < k[RM]; r++)
        for (unsigned q = 0; q < k[RM]; q++)
            if (s->rmState[r] == ABORTED && s->rmState[q] == COMMITTED)
                return false;
    return true;
}

static const Predicate invariants[] = {
    {"TPTypeOK", tp_type_ok},
    {"TCConsistent", tc_consistent},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const states[] = {"working", "prepared", "committed", "aborted"};
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "tmState=%s tmPrepared=", s->tmState == INIT ? "init" : states[s->tmState]);
    text_set(&to, s->tmPrepared, 1);
    text_add(&to, " Prepared=");
    text_set(&to, s->prepared, 1);
    text_add(&to, " Commit=%s Abort=%s", s->commit ? "sent" : "no", s->abort ? "sent" : "no");
    for (unsigned r = 0; r < node->settings[RM]; r++)
        text_add(&to, " rmState[r%u]=%s", r + 1, states[s->rmState[r]]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "TMCommit",
        "TMAbort",
        "TMRcvPrepared(r%u)",
        "RMPrepare(r%u)",
        "RMChooseToAbort(r%u)",
        "RMRcvCommitMsg(r%u)",
        "RMRcvAbortMsg(r%u)",
    };
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u);
    return to.len;
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = format_state,
    .action = format_action,
};

static int describe(CmcModel *model)
{
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [RM] = {"RM", 3, 1, MAX_RM, "resource managers"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
