/* The parameter, invariant and traces of Peterson's lock. */

#include <stdio.h>

#include <cmc.h>

#include "peterson.h"

static bool mutual_exclusion(void *user, const CmcWorld *world)
{
    const void *state;
    size_t len;
    unsigned inside = 0;

    (void)user;
    if (cmc_world_state(world, 0, &state, &len) != CMC_OK)
        return false;
    for (unsigned i = 0; i < MAX_N; i++)
        inside += doing(state, i) == CRITICAL;
    return inside <= 1;
}

static size_t show_process(const Peterson *s, unsigned i, char *text, size_t cap)
{
    static const char *const names[] = {"idle", "wait", "q2", "critical"};

    if (doing(s, i) < Q3)
        return (size_t)snprintf(text, cap, "%sp%u=%s,%u", i ? " " : "", i, names[doing(s, i)],
                                level(s, i));
    return (size_t)snprintf(text, cap, "%sp%u=q3(%u),%u", i ? " " : "", i, doing(s, i) - Q3,
                            level(s, i));
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const Peterson *s = state;
    size_t len = 0;

    for (unsigned i = 0; i < node->settings[N]; i++)
        len += show_process(s, i, len < cap ? text + len : NULL, len < cap ? cap - len : 0);
    for (unsigned i = 0; i + 1 < node->settings[N]; i++)
        len += (size_t)snprintf(len < cap ? text + len : NULL, len < cap ? cap - len : 0,
                                " last%u=%u", i + 1, s->last[i]);
    return len;
}

static size_t show_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"try", "climb", "enter", "come_last", "look", "pass",
                                        "leave"};

    (void)node;
    return (size_t)snprintf(text, cap, "%s %u", names[action->id], action->peer);
}

static int describe(CmcModel *model)
{
    static const CmcFormat format = {
        .size = sizeof(CmcFormat),
        .state = show_state,
        .action = show_action,
    };
    CmcStatus status = cmc_model_invariant(model, "mutual exclusion", mutual_exclusion, NULL);

    return status == CMC_OK ? cmc_model_format(model, &format) : status;
}

static const CmcEnv env = {.size = sizeof(CmcEnv), .nodes = 1};

static const CmcParameter parameters[] = {
    [N] = {"N", 5, 2, MAX_N, "processes"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
