/* What is checked of the ABD register: that it is linearizable, by the search of J. M. Wing and C.
 * Gong, "Testing and verifying concurrent objects", JPDC 17, 1993, over the history that the reply
 * log is. */

#include <cmc.h>
#include <stdio.h>

#include "abd.h"

enum { MOST_OPERATIONS = 32 };

/* One request: what it wrote or read, and at which entries of the log it began and ended. */
typedef struct Operation {
    bool is_write, has_returned;
    int16_t node;
    uint8_t value;
    size_t invoked, returned;
} Operation;

typedef struct History {
    size_t count;
    Operation operation[MOST_OPERATIONS];
} History;

/* The request of `node` that has not returned; nodes make one at a time. A crash may have cut some,
 * of which the last is the one. */
static Operation *find_open(History *history, int16_t node)
{
    for (size_t i = history->count; i-- > 0;)
        if (history->operation[i].node == node && !history->operation[i].has_returned)
            return &history->operation[i];
    return NULL;
}

static bool add_entry(History *history, size_t at, const CmcReply *reply)
{
    uint8_t moment = reply->bytes[0], value = reply->bytes[1];

    if (moment == INVOKED) {
        if (history->count == MOST_OPERATIONS)
            return false;
        history->operation[history->count++] = (Operation){
            .is_write = reply->node == WRITER, .node = reply->node, .value = value, .invoked = at,
        };
    } else {
        Operation *open = find_open(history, reply->node);
        if (open == NULL)
            return false;
        open->has_returned = true;
        open->returned = at;
        open->value = value;
    }
    return true;
}

/* False when the world cannot be read, or the log is no history. */
static bool read_history(const CmcWorld *world, History *history)
{
    size_t replies;

    history->count = 0;
    if (cmc_world_replies(world, &replies) != CMC_OK)
        return false;
    for (size_t i = 0; i < replies; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK || !add_entry(history, i, &reply))
            return false;
    }
    return true;
}

/* Whether an operation may come next: none of those that are not `done` returned before it
 * began. */
static bool may_be_next(const History *history, uint32_t done, const Operation *next)
{
    for (size_t i = 0; i < history->count; i++) {
        const Operation *other = &history->operation[i];
        if (!(done >> i & 1) && other->has_returned && other->returned < next->invoked)
            return false;
    }
    return true;
}

static bool all_returned_are_done(const History *history, uint32_t done)
{
    for (size_t i = 0; i < history->count; i++)
        if (!(done >> i & 1) && history->operation[i].has_returned)
            return false;
    return true;
}

/* Whether the operations that are not `done` fit into an order in which each takes effect between
 * its beginning and its end. A write that has not returned may have taken effect or not. */
static bool fits(const History *history, uint32_t done, uint8_t value)
{
    if (all_returned_are_done(history, done))
        return true;
    for (size_t i = 0; i < history->count; i++) {
        const Operation *next = &history->operation[i];
        bool effect = next->is_write || (next->has_returned && next->value == value);
        if (!(done >> i & 1) && effect && may_be_next(history, done, next) &&
            fits(history, done | UINT32_C(1) << i, next->value))
            return true;
    }
    return false;
}

static bool is_linearizable(void *user, const CmcWorld *world)
{
    History history;

    (void)user;
    return read_history(world, &history) && fits(&history, 0, 0);
}

static bool reads_what_is_being_written(void *user, const CmcWorld *world)
{
    History history;

    (void)user;
    if (!read_history(world, &history))
        return false;
    for (size_t i = 0; i < history.count; i++)
        for (size_t j = 0; j < history.count; j++) {
            const Operation *write = &history.operation[i], *read = &history.operation[j];
            if (write->is_write && !write->has_returned && !read->is_write &&
                read->has_returned && read->value == write->value)
                return true;
        }
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
        status = cmc_model_invariant(model, "the register is linearizable", is_linearizable, NULL);
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
