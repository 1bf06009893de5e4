/* What is checked of primary-backup replication: an answer holds whichever node is lost, and no
 * thread sleeps on what has come. */

#include <cmc.h>
#include <stdio.h>

#include "primary_backup.h"

/* The nodes of a world. */
typedef struct Group {
    size_t size;
    const PrimaryBackup *node[CMC_MAX_NODES];
} Group;

/* False when the world cannot be read, which makes the check an error whatever a property says. */
static bool read_group(const CmcWorld *world, Group *group)
{
    if (cmc_world_nodes(world, &group->size) != CMC_OK)
        return false;
    for (size_t n = 0; n < group->size; n++) {
        const void *state;
        size_t len;
        if (cmc_world_state(world, n, &state, &len) != CMC_OK)
            return false;
        group->node[n] = state;
    }
    return true;
}

static bool answered_is_on_every_disk(void *user, const CmcWorld *world)
{
    Group group;
    size_t replies;

    (void)user;
    if (!read_group(world, &group) || cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK)
            return false;
        for (size_t n = 0; n < group.size; n++)
            if (group.node[n]->disk < reply.bytes[0])
                return false;
    }
    return true;
}

static bool answered_once(void *user, const CmcWorld *world)
{
    unsigned answered = 0;
    size_t replies;

    (void)user;
    if (cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK || answered >> reply.bytes[0] & 1)
            return false;
        answered |= 1U << reply.bytes[0];
    }
    return true;
}

static bool acknowledged_is_awake(void *user, const CmcWorld *world)
{
    Group group;
    const PrimaryBackup *primary;

    (void)user;
    if (!read_group(world, &group))
        return false;
    primary = group.node[PRIMARY];
    for (uint8_t request = 1; request <= primary->log; request++)
        if (is_asleep(primary, request) && acknowledged_by_all(primary, group.size) >= request)
            return false;
    return true;
}

/* The primary knows nothing of a backup that is not so. */
static bool acknowledged_is_on_disk(void *user, const CmcWorld *world)
{
    Group group;

    (void)user;
    if (!read_group(world, &group))
        return false;
    for (size_t n = PRIMARY + 1; n < group.size; n++)
        if (group.node[PRIMARY]->acknowledged[n] > group.node[n]->disk)
            return false;
    return true;
}

static bool every_request_is_answered(void *user, const CmcWorld *world)
{
    Group group;
    size_t replies;
    uint64_t left;

    (void)user;
    return read_group(world, &group) && cmc_world_replies(world, &replies) == CMC_OK &&
           cmc_world_budget(world, "clients 0", &left) == CMC_OK && left == 0 &&
           replies == group.node[PRIMARY]->log;
}

static bool two_sleep(void *user, const CmcWorld *world)
{
    Group group;

    (void)user;
    if (!read_group(world, &group))
        return false;
    return (group.node[PRIMARY]->asleep & (group.node[PRIMARY]->asleep - 1)) != 0;
}

static bool may_end(void *user, const CmcWorld *world)
{
    Group group;

    if (!read_group(world, &group))
        return false;
    return group.node[PRIMARY]->retired || every_request_is_answered(user, world);
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const PrimaryBackup *self = state;
    int len;

    if (node->id == PRIMARY)
        len = snprintf(text, cap, "disk=%u log=%u retired=%u asleep=%#x acknowledged=%u",
                       self->disk, self->log, self->retired, self->asleep,
                       acknowledged_by_all(self, node->nodes));
    else
        len = snprintf(text, cap, "disk=%u log=%u writing=%u", self->disk, self->log,
                       self->writing);
    return (size_t)len;
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    const char *what = kind == CMC_BYTES_REPLY ? "request" : "log";

    (void)node, (void)size;
    return (size_t)snprintf(text, cap, "%s %u", what, bytes[0]);
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
        status = cmc_model_invariant(model, "an answered request is on every disk",
                                     answered_is_on_every_disk, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "a request is answered once", answered_once, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "the thread of an acknowledged request is awake",
                                     acknowledged_is_awake, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "what is acknowledged is on the disk",
                                     acknowledged_is_on_disk, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "two threads sleep", two_sleep, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "every request is answered", every_request_is_answered,
                                     NULL);
    if (status == CMC_OK)
        status = cmc_model_terminal(model, "it ends with every answer, or without a primary",
                                    may_end, NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 3,
    .crashes = 1,
    .clients = { 3 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .describe = describe,
};
