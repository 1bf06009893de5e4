/* The ABD register: H. Attiya, A. Bar-Noy, D. Dolev, "Sharing memory robustly in message-passing
 * systems", JACM 42(1), 1995; the one with a single writer and timestamps without bound.
 *
 * Every node has a replica. Node 0 writes; the others read. A write spreads its version to a
 * majority. A read collects versions from a majority and spreads the newest to a majority before it
 * returns it, so that no later read returns an older one. Messages may be doubled and overtaken. A
 * node that crashes must stay down: replicas that come back without what they stored (crashes=1)
 * break the register.
 *
 * The reply log says when requests begin and end.
 *
 * expect: verdict=pass distinct=261934 generated=1232084 depth=24
 * expect: set=clients.0=2,clients.1=1 verdict=pass distinct=58668 generated=231624 depth=20
 * expect: set=network=fifo verdict=pass distinct=17407 generated=49365 depth=24
 * expect: set=nodes=2,clients=2 verdict=pass distinct=1544 generated=2551 depth=17
 * expect: set=crashes=1 verdict=violated property="linearizable" trace_len=10 distinct=8181 generated=19767 depth=10 simulate_seed=1
 * expect: bug=1 verdict=violated property="linearizable" trace_len=8 distinct=563 generated=1109 depth=8 simulate_seed=1
 * expect: bug=2 verdict=violated property="linearizable" trace_len=14 distinct=43914 generated=114648 depth=14 simulate_seed=1
 * expect: bug=3 verdict=violated property="linearizable" trace_len=12 distinct=9198 generated=22424 depth=12 simulate_seed=2
 */

#include <cmc.h>

#include "abd.h"

static bool is_majority(const CmcNode *node, unsigned set)
{
    unsigned members = 0;

    for (; set != 0; set &= set - 1)
        members++;
    return 2 * members > node->nodes;
}

static void report(const Abd *self, Moment moment, uint8_t value, CmcOut *out)
{
    Report entry = { .moment = (uint8_t)moment, .request = self->request, .value = value };

    cmc_reply(out, &entry, sizeof entry);
}

static void store(Abd *self, Version version)
{
#if BUG == 2 /* What comes last is stored, and not what was written last. */
    bool newer = true;
#else
    bool newer = version.timestamp > self->stored.timestamp;
#endif
    if (newer)
        self->stored = version;
}

static void answer(const Abd *self, uint8_t to, const Message *question, CmcOut *out)
{
    Message message = { .kind = UPDATED, .round = question->round };

    if (question->kind == QUERY) {
        message.kind = VERSION;
        message.version = self->stored;
    }
    cmc_send(out, to, &message, sizeof message);
}

/* Ask all nodes; this one has answered. */
static void start_round(const CmcNode *node, Abd *self, Phase phase, CmcOut *out)
{
    Message message = { .round = ++self->round };

    self->phase = (uint8_t)phase;
    self->answered = (uint8_t)(1U << node->id);
    if (phase == QUERYING) {
        message.kind = QUERY;
    } else {
        message.kind = UPDATE;
        message.version = self->best;
        store(self, self->best);
    }
    for (uint8_t to = 0; to < node->nodes; to++)
        if (to != node->id)
            cmc_send(out, to, &message, sizeof message);
}

static void start_operation(const CmcNode *node, Abd *self, CmcOut *out)
{
    self->best = self->stored;
    if (node->id == WRITER) {
        self->best.timestamp++;
        self->best.value = self->best.timestamp;
        report(self, INVOKED, self->best.value, out);
        start_round(node, self, UPDATING, out);
    } else {
        report(self, INVOKED, 0, out);
        start_round(node, self, QUERYING, out);
    }
}

static void end_operation(const CmcNode *node, Abd *self, CmcOut *out)
{
    report(self, RETURNED, self->best.value, out);
    self->phase = IDLE;
    self->answered = 0;
    self->best = (Version){ 0 };
    if (self->waiting > 0) {
        self->waiting--;
        self->request++;
        start_operation(node, self, out);
    }
}

static void end_round(const CmcNode *node, Abd *self, CmcOut *out)
{
#if BUG == 1 /* A read returns what it found, and does not spread it. */
    bool spread = true;
#else
    bool spread = self->phase == UPDATING;
#endif
    if (spread)
        end_operation(node, self, out);
    else
        start_round(node, self, UPDATING, out);
}

static void take_answer(const CmcNode *node, Abd *self, uint8_t from, const Message *message,
                        CmcOut *out)
{
#if BUG == 3 /* Answers to an earlier round count. */
    bool late = self->phase == IDLE;
#else
    bool late = self->phase == IDLE || message->round != self->round;
#endif
    if (late)
        return;
    if (message->version.timestamp > self->best.timestamp)
        self->best = message->version;
    self->answered = (uint8_t)(self->answered | 1U << from);
    if (is_majority(node, self->answered))
        end_round(node, self, out);
}

static void take_request(const CmcNode *node, Abd *self, uint8_t request, CmcOut *out)
{
    if (self->phase == IDLE) {
        self->request = request;
        start_operation(node, self, out);
    } else {
        self->waiting++;
    }
}

static void take_message(const CmcNode *node, Abd *self, const CmcEvent *event, CmcOut *out)
{
    Message message;

    memcpy(&message, event->data, sizeof message);
    if (message.kind == UPDATE)
        store(self, message.version);
    if (message.kind == UPDATE || message.kind == QUERY)
        answer(self, event->peer, &message, out);
    else
        take_answer(node, self, event->peer, &message, out);
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    if (event->kind == CMC_EV_CLIENT)
        take_request(node, state, event->id, out);
    else if (event->kind == CMC_EV_MESSAGE)
        take_message(node, state, event, out);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "abd",
    .state_size = sizeof(Abd),
    .init = init,
    .step = step,
};
