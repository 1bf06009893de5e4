/* What is checked of Paxos: one value is chosen, by what the acceptors have on their disks, and
 * clients are told no other. */

#include <cmc.h>
#include <stdio.h>

#include "paxos.h"

/* The nodes of a world. What acceptors are held to is what they have on their disks. */
typedef struct Group {
    size_t size;
    const Paxos *node[CMC_MAX_NODES];
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

/* The proposal that a majority has accepted last, if there is one. */
static bool find_chosen(const Group *group, Vote *chosen)
{
    for (size_t n = 0; n < group->size; n++) {
        size_t same = 0;
        *chosen = group->node[n]->disk;
        for (size_t m = 0; m < group->size; m++)
            same += group->node[m]->disk.accepted == chosen->accepted;
        if (chosen->accepted > 0 && 2 * same > group->size)
            return true;
    }
    return false;
}

static bool answers_agree(void *user, const CmcWorld *world)
{
    CmcReply first, reply;
    size_t replies;

    (void)user;
    if (cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++)
        if (cmc_world_reply(world, 0, &first) != CMC_OK ||
            cmc_world_reply(world, i, &reply) != CMC_OK || reply.bytes[0] != first.bytes[0])
            return false;
    return true;
}

static bool one_value_a_ballot(void *user, const CmcWorld *world)
{
    Group group;

    (void)user;
    if (!read_group(world, &group))
        return false;
    for (size_t n = 0; n < group.size; n++)
        for (size_t m = 0; m < n; m++) {
            const Vote *a = &group.node[n]->disk, *b = &group.node[m]->disk;
            if (a->accepted == b->accepted && a->value != b->value)
                return false;
        }
    return true;
}

/* A promise that is on no disk can be broken. */
static bool promises_are_durable(void *user, const CmcWorld *world)
{
    Group group;

    (void)user;
    if (!read_group(world, &group))
        return false;
    for (size_t n = 0; n < group.size; n++) {
        size_t bound = 0;
        for (size_t m = 0; m < group.size; m++)
            bound += group.node[m]->disk.promised >= group.node[n]->ballot;
        if (group.node[n]->phase == PROPOSING && 2 * bound <= group.size)
            return false;
    }
    return true;
}

static bool answers_are_durable(void *user, const CmcWorld *world)
{
    Group group;
    size_t replies;

    (void)user;
    if (!read_group(world, &group) || cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        size_t holders = 0;
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK)
            return false;
        for (size_t n = 0; n < group.size; n++)
            holders += group.node[n]->disk.value == reply.bytes[0];
        if (2 * holders <= group.size)
            return false;
    }
    return true;
}

static bool accepts_no_other_than_chosen(void *user, const CmcWorld *before, const CmcWorld *after)
{
    Group earlier, later;
    Vote chosen;

    (void)user;
    if (!read_group(before, &earlier) || !read_group(after, &later))
        return false;
    if (!find_chosen(&earlier, &chosen))
        return true;
    for (size_t n = 0; n < later.size; n++) {
        const Vote *vote = &later.node[n]->disk;
        if (vote->accepted > chosen.accepted && vote->value != chosen.value)
            return false;
    }
    return true;
}

static bool keeps_its_promise(void *user, const CmcWorld *before, const CmcWorld *after)
{
    Group earlier, later;

    (void)user;
    if (!read_group(before, &earlier) || !read_group(after, &later))
        return false;
    for (size_t n = 0; n < earlier.size; n++) {
        const Vote *was = &earlier.node[n]->disk, *is = &later.node[n]->disk;
        bool accepts = is->accepted != was->accepted;
        if (is->promised < was->promised || (accepts && is->accepted < was->promised))
            return false;
    }
    return true;
}

static bool two_clients_are_answered(void *user, const CmcWorld *world)
{
    size_t replies;

    (void)user;
    return cmc_world_replies(world, &replies) == CMC_OK && replies >= 2;
}

static bool proposes_the_value_of_another(void *user, const CmcWorld *world)
{
    Group group;

    (void)user;
    if (!read_group(world, &group))
        return false;
    for (size_t n = 0; n < group.size; n++)
        if (group.node[n]->phase == PROPOSING && group.node[n]->value != wish((uint8_t)n))
            return true;
    return false;
}

/* A vote is PROMISED/ACCEPTED/VALUE. */
static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const phases[] = {
        [IDLE] = "idle", [PREPARING] = "preparing", [PROPOSING] = "proposing",
    };
    const Paxos *self = state;

    (void)node;
    return (size_t)snprintf(text, cap,
                            "disk=%u/%u/%u vote=%u/%u/%u phase=%s ballot=%u agreed=%#x value=%u "
                            "reported=%u",
                            self->disk.promised, self->disk.accepted, self->disk.value,
                            self->vote.promised, self->vote.accepted, self->vote.value,
                            phases[self->phase], self->ballot, self->agreed, self->value,
                            self->reported);
}

static size_t show_message(const Message *message, char *text, size_t cap)
{
    int len;

    if (message->kind == PREPARE)
        len = snprintf(text, cap, "PREPARE %u", message->ballot);
    else if (message->kind == PROMISE)
        len = snprintf(text, cap, "PROMISE %u accepted=%u/%u", message->ballot, message->accepted,
                       message->value);
    else if (message->kind == ACCEPT)
        len = snprintf(text, cap, "ACCEPT %u value=%u", message->ballot, message->value);
    else
        len = snprintf(text, cap, "ACCEPTED %u", message->ballot);
    return (size_t)len;
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    (void)node;
    if (kind == CMC_BYTES_MESSAGE && size == sizeof(Message)) {
        Message message;
        memcpy(&message, bytes, sizeof message);
        return show_message(&message, text, cap);
    }
    if (kind == CMC_BYTES_RECORD && size == sizeof(Vote))
        return (size_t)snprintf(text, cap, "promised=%u accepted=%u/%u", bytes[0], bytes[1],
                                bytes[2]);
    return (size_t)snprintf(text, cap, "value %u", bytes[0]);
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
        status = cmc_model_invariant(model, "all answers are the same value", answers_agree, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "a ballot has one value", one_value_a_ballot, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "who proposes has promises on most disks",
                                     promises_are_durable, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "an answered value is on most disks",
                                     answers_are_durable, NULL);
    if (status == CMC_OK)
        status = cmc_model_step(model, "a chosen value stays chosen", accepts_no_other_than_chosen,
                                NULL);
    if (status == CMC_OK)
        status = cmc_model_step(model, "an acceptor keeps its promise", keeps_its_promise, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "two clients are answered", two_clients_are_answered,
                                     NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "a node proposes the value of another",
                                     proposes_the_value_of_another, NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 3,
    .network = CMC_NET_BAG,
    .crashes = 1,
    .clients = { 1, 1 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .describe = describe,
};
