/* What is checked of the alternating bit protocol: the receiver hands on what the sender was given,
 * before the sender takes it for done. The reply log is what the receiver handed on. */

#include <cmc.h>
#include <stdio.h>

#include "alternating_bit.h"

enum { CAPACITY }; /* Which byte of the settings is which. */

static const CmcParameter parameters[] = {
    [CAPACITY] = { "capacity", 8, 1, 60, "messages under way, at most" },
};

/* A world as the properties see it. */
typedef struct Line {
    const AlternatingBit *sender;
    const AlternatingBit *receiver;
    size_t delivered;
} Line;

/* False when the world cannot be read, which makes the check an error whatever a property says. */
static bool read_line(const CmcWorld *world, Line *line)
{
    const void *sender, *receiver;
    size_t len;

    if (cmc_world_state(world, SENDER, &sender, &len) != CMC_OK ||
        cmc_world_state(world, RECEIVER, &receiver, &len) != CMC_OK ||
        cmc_world_replies(world, &line->delivered) != CMC_OK)
        return false;
    line->sender = sender;
    line->receiver = receiver;
    return true;
}

static bool delivered_in_order(void *user, const CmcWorld *world)
{
    size_t count;

    (void)user;
    if (cmc_world_replies(world, &count) != CMC_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK || reply.bytes[0] != i)
            return false;
    }
    return true;
}

static bool acknowledged_is_delivered(void *user, const CmcWorld *world)
{
    Line line;

    (void)user;
    return read_line(world, &line) && line.sender->acknowledged <= line.delivered;
}

static bool all_is_acknowledged(void *user, const CmcWorld *world)
{
    Line line;
    uint64_t left;

    (void)user;
    return read_line(world, &line) && cmc_world_budget(world, "clients 0", &left) == CMC_OK &&
           left == 0 && line.sender->acknowledged == line.sender->given;
}

static bool delivered_and_not_acknowledged(void *user, const CmcWorld *world)
{
    Line line;

    (void)user;
    return read_line(world, &line) && line.delivered > line.sender->acknowledged;
}

/* The timer may run out for ever; without this there would be no end of worlds. */
static bool within_capacity(void *user, const CmcWorld *world)
{
    const uint8_t *settings;
    size_t len, count;

    (void)user;
    return cmc_world_settings(world, &settings, &len) == CMC_OK &&
           cmc_world_messages(world, &count) == CMC_OK && count <= settings[CAPACITY];
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const AlternatingBit *self = state;
    int len;

    if (node->id == SENDER)
        len = snprintf(text, cap, "given=%u acknowledged=%u bit=%u", self->given,
                       self->acknowledged, self->bit);
    else
        len = snprintf(text, cap, "expected=%u", self->expected);
    return (size_t)len;
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    int len;

    (void)node;
    if (kind == CMC_BYTES_REPLY)
        len = snprintf(text, cap, "message %u", bytes[0]);
    else if (size == sizeof(Frame))
        len = snprintf(text, cap, "FRAME bit=%u message=%u", bytes[0], bytes[1]);
    else
        len = snprintf(text, cap, "ACK bit=%u", bytes[0]);
    return (size_t)len;
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
        status = cmc_model_invariant(model, "messages are delivered once and in order",
                                     delivered_in_order, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "an acknowledged message has been delivered",
                                     acknowledged_is_delivered, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "a delivered message is not acknowledged yet",
                                     delivered_and_not_acknowledged, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "every message is acknowledged", all_is_acknowledged,
                                     NULL);
    if (status == CMC_OK)
        status = cmc_model_terminal(model, "it ends when every message is acknowledged",
                                    all_is_acknowledged, NULL);
    if (status == CMC_OK)
        status = cmc_model_constraint(model, "no more messages are under way than the line holds",
                                      within_capacity, NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 2,
    .drops = 2,
    .clients = { 6 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
