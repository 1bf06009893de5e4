/* What is checked of two-phase commit: the nodes end alike, by their logs, which are what a crash
 * leaves; and nobody is told otherwise. */

#include <cmc.h>
#include <stdio.h>

#include "two_phase_commit.h"

static const CmcParameter parameters[] = {
    [QUESTIONS] = { "questions", 1, 0, 10, "how often a participant asks again between crashes" },
};

/* The logs of a world: how many nodes have each entry, and which has which. */
typedef struct Logs {
    size_t nodes;
    uint8_t log[CMC_MAX_NODES];
} Logs;

/* False when the world cannot be read, which makes the check an error whatever a property says. */
static bool read_logs(const CmcWorld *world, Logs *logs)
{
    if (cmc_world_nodes(world, &logs->nodes) != CMC_OK)
        return false;
    for (size_t n = 0; n < logs->nodes; n++) {
        const void *state;
        size_t len;
        if (cmc_world_state(world, n, &state, &len) != CMC_OK)
            return false;
        logs->log[n] = ((const TwoPhaseCommit *)state)->log;
    }
    return true;
}

static size_t count(const Logs *logs, Entry entry)
{
    size_t found = 0;

    for (size_t n = 0; n < logs->nodes; n++)
        found += logs->log[n] == entry;
    return found;
}

static bool decided_alike(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    return read_logs(world, &logs) && (count(&logs, COMMITTED) == 0 || count(&logs, ABORTED) == 0);
}

/* The commit record of the coordinator is the commit point. */
static bool coordinator_commits_first(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    return read_logs(world, &logs) &&
           (count(&logs, COMMITTED) == 0 || logs.log[COORDINATOR] == COMMITTED);
}

static bool commits_what_all_prepared(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    if (!read_logs(world, &logs))
        return false;
    if (count(&logs, COMMITTED) == 0)
        return true;
    for (size_t n = COORDINATOR + 1; n < logs.nodes; n++)
        if (logs.log[n] != PREPARED && logs.log[n] != COMMITTED)
            return false;
    return true;
}

static bool tells_its_client_the_decision(void *user, const CmcWorld *world)
{
    Logs logs;
    size_t replies;

    (void)user;
    if (!read_logs(world, &logs) || cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK ||
            reply.bytes[0] != logs.log[COORDINATOR])
            return false;
    }
    return true;
}

static bool keeps_its_word(void *user, const CmcWorld *before, const CmcWorld *after)
{
    Logs earlier, later;

    (void)user;
    if (!read_logs(before, &earlier) || !read_logs(after, &later))
        return false;
    for (size_t n = 0; n < earlier.nodes; n++) {
        bool decided = earlier.log[n] == COMMITTED || earlier.log[n] == ABORTED;
        if (later.log[n] < earlier.log[n] || (decided && later.log[n] != earlier.log[n]))
            return false;
    }
    return true;
}

static bool all_commit(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    return read_logs(world, &logs) && count(&logs, COMMITTED) == logs.nodes;
}

static bool all_abort(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    return read_logs(world, &logs) && count(&logs, ABORTED) == logs.nodes;
}

static bool in_doubt_behind_a_decision(void *user, const CmcWorld *world)
{
    Logs logs;

    (void)user;
    return read_logs(world, &logs) && logs.log[COORDINATOR] == ABORTED &&
           count(&logs, PREPARED) > 0;
}

static const char *name(unsigned what)
{
    static const char *const names[] = {
        [NOTHING] = "nothing", [PREPARED] = "prepared", [COMMITTED] = "committed",
        [ABORTED] = "aborted", [PREPARE] = "prepare",
    };

    return what < sizeof names / sizeof *names ? names[what] : "unknown";
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const TwoPhaseCommit *self = state;
    int len;

    if (node->id == COORDINATOR)
        len = snprintf(text, cap, "log=%s writing=%s voting=%u votes=%#x", name(self->log),
                       name(self->writing), self->voting, self->votes);
    else
        len = snprintf(text, cap, "log=%s writing=%s asked=%u", name(self->log),
                       name(self->writing), self->asked);
    return (size_t)len;
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    (void)node, (void)kind, (void)size;
    return (size_t)snprintf(text, cap, "%s", name(bytes[0]));
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = show_state,
    .bytes = show_bytes,
};

static int describe(CmcModel *model)
{
    CmcStatus status = cmc_model_format(model, &format);

    if (status == CMC_OK)
        status = cmc_model_invariant(model, "nobody commits what another aborts", decided_alike,
                                     NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "nobody commits before the coordinator",
                                     coordinator_commits_first, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "what commits has been prepared by all",
                                     commits_what_all_prepared, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "the client is told what is decided",
                                     tells_its_client_the_decision, NULL);
    if (status == CMC_OK)
        status = cmc_model_step(model, "a vote and a decision are final", keeps_its_word, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "all commit", all_commit, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "all abort", all_abort, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "a participant has not heard of the abort",
                                     in_doubt_behind_a_decision, NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 3,
    .network = CMC_NET_BAG,
    .crashes = 1,
    .clients = { 1, 1, 1 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
