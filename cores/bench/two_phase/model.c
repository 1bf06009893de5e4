/* The parameter, invariant and traces of TwoPhase. */

#include <stdio.h>

#include <cmc.h>

#include "two_phase.h"

static bool consistent(void *user, const CmcWorld *world)
{
    const void *state;
    size_t len;

    (void)user;
    if (cmc_world_state(world, 0, &state, &len) != CMC_OK)
        return false;
    const TwoPhase *s = state;
    return !(s->committed && s->aborted);
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const names[] = {"init", "committed", "aborted"};
    const TwoPhase *s = state;

    (void)node;
    return (size_t)snprintf(text, cap, "tm=%s heard=%#x sent=%#x committed=%#x aborted=%#x",
                            names[s->tm], s->heard, s->sent, s->committed, s->aborted);
}

static size_t show_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "TMCommit",        "TMAbort",           "TMRcvPrepared %u", "RMPrepare %u",
        "RMChooseAbort %u", "RMRcvCommitMsg %u", "RMRcvAbortMsg %u",
    };

    (void)node;
    return (size_t)snprintf(text, cap, names[action->id], action->peer);
}

static int describe(CmcModel *model)
{
    static const CmcFormat format = {
        .size = sizeof(CmcFormat),
        .state = show_state,
        .action = show_action,
    };
    CmcStatus status = cmc_model_invariant(model, "TCConsistent", consistent, NULL);

    return status == CMC_OK ? cmc_model_format(model, &format) : status;
}

static const CmcEnv env = {.size = sizeof(CmcEnv), .nodes = 1};

static const CmcParameter parameters[] = {
    [RMS] = {"RMS", 8, 1, MAX_RMS, "resource managers"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
