/* What is checked of the ABD register: that it is linearizable, by the history that the reply log
 * is. */

#include <cmc.h>
#include <stdio.h>

#include "abd.h"

/* False when it is none of this core's. */
static bool read_report(const CmcReply *reply, Report *report)
{
    if (reply->len != sizeof *report)
        return false;
    memcpy(report, reply->bytes, sizeof *report);
    return report->moment == INVOKED || report->moment == RETURNED;
}

/* A request that a crash has cut gets no answer, so that each is a client: number 2 of node 1 is
 * client 1002. */
static int parse(void *user, const CmcReply *reply, CmcOperation *operation)
{
    bool is_write = reply->node == WRITER;
    Report report;

    (void)user;
    if (!read_report(reply, &report))
        return -1;
    operation->client = (uint32_t)reply->node * 1000U + report.request;
    if (report.moment == INVOKED)
        operation->kind = is_write ? CMC_OP_WRITE : CMC_OP_READ;
    else
        operation->kind = is_write ? CMC_OP_DONE : CMC_OP_FOUND;
    operation->value_len = (uint8_t)snprintf((char *)operation->value, sizeof operation->value,
                                             "%u", report.value);
    return 0;
}

static const CmcHistory history = {
    .size = sizeof(CmcHistory),
    .consistency = CMC_LINEARIZABLE,
    .object = CMC_REGISTER,
    .initial_len = 1,
    .initial = (const uint8_t *)"0",
    .parse = parse,
};

/* Whether there is an entry of this moment about `value`, a write's or a read's. */
static bool is_logged(const CmcWorld *world, bool is_write, Moment moment, uint8_t value)
{
    size_t replies;

    if (cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        CmcReply reply;
        Report report;
        if (cmc_world_reply(world, i, &reply) == CMC_OK && read_report(&reply, &report) &&
            (reply.node == WRITER) == is_write && report.moment == moment && report.value == value)
            return true;
    }
    return false;
}

/* Values are written in order, each once. */
static bool reads_what_is_being_written(void *user, const CmcWorld *world)
{
    (void)user;
    for (uint8_t value = 1; is_logged(world, true, INVOKED, value); value++)
        if (!is_logged(world, true, RETURNED, value) && is_logged(world, false, RETURNED, value))
            return true;
    return false;
}

static bool is_at_rest(const CmcWorld *world)
{
    size_t nodes;

    if (cmc_world_nodes(world, &nodes) != CMC_OK)
        return false;
    for (size_t n = 0; n < nodes; n++) {
        const void *state;
        size_t len;
        if (cmc_world_state(world, n, &state, &len) != CMC_OK)
            return false;
        if (((const Abd *)state)->phase != IDLE)
            return false;
    }
    return true;
}

static bool every_request_returns(void *user, const CmcWorld *world)
{
    size_t replies;

    (void)user;
    return cmc_world_replies(world, &replies) == CMC_OK && replies > 0 && is_at_rest(world);
}

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const phases[] = {
        [IDLE] = "idle", [QUERYING] = "querying", [UPDATING] = "updating",
    };
    const Abd *self = state;

    (void)node;
    return (size_t)snprintf(text, cap,
                            "stored=%u@%u phase=%s best=%u@%u answered=%#x round=%u waiting=%u",
                            self->stored.value, self->stored.timestamp, phases[self->phase],
                            self->best.value, self->best.timestamp, self->answered, self->round,
                            self->waiting);
}

static int show_message(const Message *message, char *text, size_t cap)
{
    static const char *const kinds[] = {
        [QUERY] = "QUERY", [VERSION] = "VERSION", [UPDATE] = "UPDATE", [UPDATED] = "UPDATED",
    };

    if (message->kind == VERSION || message->kind == UPDATE)
        return snprintf(text, cap, "%s round=%u %u@%u", kinds[message->kind], message->round,
                        message->version.value, message->version.timestamp);
    return snprintf(text, cap, "%s round=%u", kinds[message->kind], message->round);
}

static int show_report(const Report *report, bool is_write, char *text, size_t cap)
{
    if (is_write)
        return snprintf(text, cap, report->moment == INVOKED ? "write %u" : "wrote %u",
                        report->value);
    if (report->moment == INVOKED)
        return snprintf(text, cap, "read");
    return snprintf(text, cap, "read %u", report->value);
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    Message message;
    Report report;
    int len = 0;

    if (kind == CMC_BYTES_MESSAGE && size == sizeof message) {
        memcpy(&message, bytes, sizeof message);
        len = show_message(&message, text, cap);
    } else if (kind == CMC_BYTES_REPLY && size == sizeof report) {
        memcpy(&report, bytes, sizeof report);
        len = show_report(&report, node->id == WRITER, text, cap);
    }
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
        status = cmc_model_history(model, &history);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "a read returns what is still being written",
                                     reads_what_is_being_written, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "every request returns", every_request_returns, NULL);
    if (status == CMC_OK)
        status = cmc_model_terminal(model, "it ends at rest", every_request_returns, NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 3,
    .network = CMC_NET_BAG,
    .clients = { 1, 2 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .describe = describe,
};
