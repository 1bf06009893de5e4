/* The parameter, invariant and traces of TwoPhase. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "two_phase.h"

static bool consistent(const uint8_t *k, const void *state)
{
    const TwoPhase *s = state;
    (void)k;
    return !(s->committed && s->aborted);
}

static const Predicate invariants[] = {{"TCConsistent", consistent}};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const names[] = {"init", "committed", "aborted"};
    const TwoPhase *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "tm=%s heard=", names[s->tm]);
    text_set(&to, s->heard, 0);
    text_add(&to, " sent=");
    text_set(&to, s->sent, 0);
    text_add(&to, " committed=");
    text_set(&to, s->committed, 0);
    text_add(&to, " aborted=");
    text_set(&to, s->aborted, 0);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "TMCommit",           "TMAbort",          "TMRcvPrepared(%u)", "RMPrepare(%u)",
        "RMChooseToAbort(%u)", "RMRcvCommitMsg(%u)", "RMRcvAbortMsg(%u)",
    };
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer);
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
    [RMS] = {"RMS", 8, 1, MAX_RMS, "resource managers"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
