/* The parameters, invariant and traces of Paxos. */

#include <stdio.h>

#include <cmc.h>

#include "paxos_ballots.h"

/* A value is chosen when a quorum has voted for it in one ballot. */
static bool one_value_chosen(void *user, const CmcWorld *world)
{
    const void *state;
    size_t len;

    (void)user;
    if (cmc_world_state(world, 0, &state, &len) != CMC_OK)
        return false;
    const PaxosBallots *s = state;
    const unsigned x = s->sent_2b[0], y = s->sent_2b[1], z = s->sent_2b[2];
    const unsigned ballots = (x & y) | (y & z) | (z & x);
    unsigned chosen = 0;
    for (unsigned v = 0; v < MAX_VALUES; v++)
        chosen += (s->sent_2a[v] & ballots) != 0;
    return chosen <= 1;
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const PaxosBallots *s = state;
    size_t len = (size_t)snprintf(text, cap, "1a=%#x 1b=%#x,%#x,%#x 2b=%#x,%#x,%#x", s->sent_1a,
                                  s->sent_1b[0], s->sent_1b[1], s->sent_1b[2], s->sent_2b[0],
                                  s->sent_2b[1], s->sent_2b[2]);

    for (unsigned v = 0; v < node->settings[VALUES]; v++)
        len += (size_t)snprintf(len < cap ? text + len : NULL, len < cap ? cap - len : 0,
                                " 2a[%u]=%#x", v, s->sent_2a[v]);
    return len;
}

static size_t show_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"Phase1a %u", "Phase1b %u %u", "Phase2a %u %u",
                                        "Phase2b %u %u"};

    (void)node;
    return (size_t)snprintf(text, cap, names[action->id], action->peer, action->data[0]);
}

static int describe(CmcModel *model)
{
    static const CmcFormat format = {
        .size = sizeof(CmcFormat),
        .state = show_state,
        .action = show_action,
    };
    CmcStatus status = cmc_model_invariant(model, "one value is chosen", one_value_chosen, NULL);

    return status == CMC_OK ? cmc_model_format(model, &format) : status;
}

static const CmcEnv env = {.size = sizeof(CmcEnv), .nodes = 1};

static const CmcParameter parameters[] = {
    [BALLOTS] = {"BALLOTS", 4, 1, MAX_BALLOTS, "ballots"},
    [VALUES] = {"VALUES", 2, 1, MAX_VALUES, "values"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
