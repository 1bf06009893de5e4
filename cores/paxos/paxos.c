/* Single-decree Paxos, the synod: L. Lamport, "The part-time parliament", ACM TOCS 16(2), 1998, and
 * "Paxos made simple", ACM SIGACT News 32(4), 2001.
 *
 * Each node is proposer and acceptor. A client's request starts a ballot for the value that this
 * client wants, and the client is told the value that was chosen; it may ask again. Messages are
 * doubled, overtaken and, by never arriving, lost. Nodes crash: a promise and an acceptance are on
 * the disk before anybody hears of them, and a ballot is promised by its own proposer before it is
 * used, so that it is used once.
 *
 * expect: verdict=pass distinct=413476 generated=1999505 depth=30
 * expect: set=crashes=0 verdict=pass distinct=73771 generated=313943 depth=29
 * expect: set=network=fifo verdict=pass distinct=128360 generated=479428 depth=33
 * expect: set=network=fifo,drops=1 verdict=pass distinct=700222 generated=3157861 depth=34
 * expect: bug=1 verdict=violated property="who proposes has promises on most disks" trace_len=5 distinct=29 generated=48 depth=5 simulate_seed=1
 * expect: bug=2 verdict=violated property="an acceptor keeps its promise" trace_len=10 distinct=1573 generated=3417 depth=10 simulate_seed=1
 * expect: bug=3 set=clients.1=2,crashes=0 verdict=violated property="a chosen value stays chosen" trace_len=21 distinct=487950 generated=1855794 depth=21 simulate_seed=5
 * expect: bug=4 set=clients.0=2,crashes=0 verdict=violated property="who proposes has promises on most disks" trace_len=7 distinct=149 generated=247 depth=7 simulate_seed=1
 */

#include <cmc.h>

#include "paxos.h"

static bool is_majority(const CmcNode *node, unsigned set)
{
    unsigned members = 0;

    for (; set != 0; set &= set - 1)
        members++;
    return 2 * members > node->nodes;
}

static uint8_t proposer_of(const CmcNode *node, uint8_t ballot)
{
    return ballot % node->nodes;
}

static uint8_t ballot_above(const CmcNode *node, uint8_t ballot)
{
    do
        ballot++;
    while (proposer_of(node, ballot) != node->id);
    return ballot;
}

static void send_to_others(const CmcNode *node, const Message *message, CmcOut *out)
{
    for (uint8_t to = 0; to < node->nodes; to++)
        if (to != node->id)
            cmc_send(out, to, message, sizeof *message);
}

/* What a vote means to the proposer of its ballot: it is cast for a promise or for an
 * acceptance. */
static Message answer_of(const Vote *vote)
{
    if (vote->accepted == vote->promised)
        return (Message){ .kind = ACCEPTED, .ballot = vote->promised };
    return (Message){ .kind = PROMISE, .ballot = vote->promised, .accepted = vote->accepted,
                      .value = vote->value };
}

static void answer(const CmcNode *node, const Vote *vote, CmcOut *out)
{
    Message message = answer_of(vote);
    uint8_t proposer = proposer_of(node, vote->promised);

    if (proposer != node->id)
        cmc_send(out, proposer, &message, sizeof message);
}

static void write_vote(const CmcNode *node, const Paxos *self, CmcOut *out)
{
    cmc_persist(out, &self->vote, sizeof self->vote);
#if BUG == 1 /* The answer does not wait until the vote is durable. */
    answer(node, &self->vote, out);
#else
    (void)node;
#endif
}

static void promise(const CmcNode *node, Paxos *self, uint8_t ballot, CmcOut *out)
{
    if (ballot <= self->vote.promised)
        return;
    self->vote.promised = ballot;
    write_vote(node, self, out);
}

static void accept(const CmcNode *node, Paxos *self, uint8_t ballot, uint8_t value, CmcOut *out)
{
#if BUG == 2 /* It accepts in spite of a promise to a higher ballot. */
    bool bound = false;
#else
    bool bound = ballot < self->vote.promised;
#endif
    if (bound || ballot == self->vote.accepted)
        return;
    self->vote = (Vote){ .promised = ballot, .accepted = ballot, .value = value };
    write_vote(node, self, out);
}

static void start_ballot(const CmcNode *node, Paxos *self, CmcOut *out)
{
    self->phase = PREPARING;
    self->ballot = ballot_above(node, self->vote.promised);
    self->agreed = 0;
    self->value = wish(node->id);
    self->reported = 0;
    promise(node, self, self->ballot, out);
}

static void propose(const CmcNode *node, Paxos *self, CmcOut *out)
{
    Message message = { .kind = ACCEPT, .ballot = self->ballot, .value = self->value };

    self->phase = PROPOSING;
    self->agreed = 0;
    send_to_others(node, &message, out);
    accept(node, self, self->ballot, self->value, out);
}

static void ask_for_promises(const CmcNode *node, const Paxos *self, CmcOut *out)
{
    Message message = { .kind = PREPARE, .ballot = self->ballot };

    send_to_others(node, &message, out);
}

/* A promise may report a proposal that was accepted before. The one of the highest ballot may have
 * been chosen, and is proposed again. */
static void take_promise(const CmcNode *node, Paxos *self, uint8_t from, const Message *promised,
                         CmcOut *out)
{
#if BUG == 3 /* The last report counts, and not that of the highest ballot. */
    bool newer = promised->accepted > 0;
#else
    bool newer = promised->accepted > self->reported;
#endif
    if (newer) {
        self->reported = promised->accepted;
        self->value = promised->value;
    }
    self->agreed = (uint8_t)(self->agreed | 1U << from);
    if (from == node->id)
        ask_for_promises(node, self, out);
    if (is_majority(node, self->agreed))
        propose(node, self, out);
}

static void take_acceptance(const CmcNode *node, Paxos *self, uint8_t from, CmcOut *out)
{
    self->agreed = (uint8_t)(self->agreed | 1U << from);
    if (!is_majority(node, self->agreed))
        return;
    cmc_reply(out, &self->value, sizeof self->value);
    self->phase = IDLE;
}

static void take_answer(const CmcNode *node, Paxos *self, uint8_t from, const Message *message,
                        CmcOut *out)
{
#if BUG == 4 /* Answers to an earlier ballot of this proposer count. */
    bool late = false;
#else
    bool late = message->ballot != self->ballot;
#endif
    if (late)
        return;
    if (message->kind == PROMISE && self->phase == PREPARING)
        take_promise(node, self, from, message, out);
    else if (message->kind == ACCEPTED && self->phase == PROPOSING)
        take_acceptance(node, self, from, out);
}

static void take_message(const CmcNode *node, Paxos *self, const CmcEvent *event, CmcOut *out)
{
    Message message;

    memcpy(&message, event->data, sizeof message);
    if (message.kind == PREPARE)
        promise(node, self, message.ballot, out);
    else if (message.kind == ACCEPT)
        accept(node, self, message.ballot, message.value, out);
    else
        take_answer(node, self, event->peer, &message, out);
}

/* A vote is durable, and its proposer may know. */
static void finish_writing(const CmcNode *node, Paxos *self, const CmcEvent *event, CmcOut *out)
{
    Vote vote;

    memcpy(&vote, event->data, sizeof vote);
    if (proposer_of(node, vote.promised) == node->id) {
        Message message = answer_of(&vote);
        take_answer(node, self, node->id, &message, out);
    } else {
        answer(node, &vote, out);
    }
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Paxos *self = state;

    switch (event->kind) {
    case CMC_EV_CLIENT:
        start_ballot(node, self, out);
        break;
    case CMC_EV_MESSAGE:
        take_message(node, self, event, out);
        break;
    case CMC_EV_FLUSHED:
        finish_writing(node, self, event, out);
        break;
    case CMC_EV_RESTART:
        self->vote = self->disk;
        break;
    default:
        break;
    }
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    (void)node;
    memcpy(durable, record, len);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "paxos",
    .state_size = sizeof(Paxos),
    .durable_size = DURABLE_SIZE,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
