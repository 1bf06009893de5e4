/* Raft: D. Ongaro, J. Ousterhout, "In search of an understandable consensus algorithm", USENIX ATC
 * 2014, extended version.
 *
 * Leader election and log replication, without snapshots and changes of membership. A leader sends
 * what is new at once, and again where a connection was reset; there are no heartbeats. Votes and
 * entries are on the disk before anybody hears of them. A term is written with the next of them: by
 * itself it promises nothing. A refusal is silence, except to a server that is behind the time.
 *
 * expect: verdict=pass distinct=352039 generated=1471709 depth=46
 * expect: set=terms=1,crashes=1 verdict=pass distinct=18484 generated=68877 depth=25
 * expect: set=terms=1,drops=2 verdict=pass distinct=26440 generated=101881 depth=28
 * expect: set=drops=1,clients.1=0 verdict=pass distinct=569475 generated=2243387 depth=37
 * expect: set=figure_8=1,terms=4,clients.1=0 verdict=pass distinct=273240 generated=1017932 depth=42
 * expect: set=nodes=5,terms=1,clients.1=0 verdict=pass distinct=31996 generated=145970 depth=37
 * expect: bug=1 verdict=violated property="a leader has its votes on most disks" trace_len=5 distinct=23 generated=35 depth=5 simulate_seed=1
 * expect: bug=2 set=figure_8=1,terms=4 verdict=violated property="who can win an election has what was answered" trace_len=11 distinct=1439 generated=3655 depth=11 simulate_seed=1
 * expect: bug=3 set=clients.0=4 verdict=violated property="leader completeness" trace_len=18 distinct=165635 generated=546174 depth=18 simulate_seed=1
 * expect: bug=4 set=figure_8=1,terms=3 verdict=violated property="log matching" trace_len=10 distinct=87 generated=162 depth=10 simulate_seed=1
 * expect: bug=5 verdict=violated property="an answered command is on most disks" trace_len=10 distinct=1049 generated=2701 depth=10 simulate_seed=1
 */

#include <cmc.h>

#include "figure_8.h"
#include "raft.h"

enum { ELECTION = 0 };

static void send(const Raft *self, uint8_t to, Message message, CmcOut *out)
{
    message.term = self->now.term;
    cmc_send(out, to, &message, sizeof message);
}

static void send_entries(const Raft *self, uint8_t to, CmcOut *out)
{
    Message message = { .kind = APPEND_ENTRIES, .commit = self->commit };

    message.index = (uint8_t)(self->next[to] - 1);
    message.index_term = log_term(&self->now.log, message.index);
    for (uint8_t i = message.index; i < self->now.log.length; i++)
        log_append(&message.sent, self->now.log.entry[i]);
    send(self, to, message, out);
}

static void send_entries_to_all(const CmcNode *node, const Raft *self, CmcOut *out)
{
    for (uint8_t to = 0; to < node->nodes; to++)
        if (to != node->id)
            send_entries(self, to, out);
}

static void become_leader(const CmcNode *node, Raft *self, CmcOut *out)
{
    self->role = LEADER;
    self->votes = 0;
    for (uint8_t peer = 0; peer < node->nodes; peer++)
        self->next[peer] = (uint8_t)(self->now.log.length + 1);
    /* Records reach the disk in order, and the last was that of the campaign. */
    self->match[node->id] = self->now.log.length;
    cmc_cancel(out, ELECTION);
    if (self->now.log.length > 0)
        send_entries_to_all(node, self, out);
}

static bool may_commit(const CmcNode *node, const Raft *self, uint8_t index)
{
    unsigned holders = 0;

    for (uint8_t peer = 0; peer < node->nodes; peer++)
        if (self->match[peer] >= index)
            holders |= 1U << peer;
#if BUG == 2 /* Figure 8 of the paper: an entry of an earlier term is committed by counting. */
    return is_majority(node, holders);
#else
    return is_majority(node, holders) && log_term(&self->now.log, index) == self->now.term;
#endif
}

static void commit_up_to(Raft *self, uint8_t index, CmcOut *out)
{
    while (self->commit < index) {
        Answer answer = { .term = self->now.term, .index = ++self->commit };
        answer.command = self->now.log.entry[answer.index - 1].command;
        cmc_reply(out, &answer, sizeof answer);
    }
}

static void advance_commit(const CmcNode *node, Raft *self, CmcOut *out)
{
    uint8_t index = self->now.log.length;

    while (index > self->commit && !may_commit(node, self, index))
        index--;
    if (index == self->commit)
        return;
    commit_up_to(self, index, out);
    send_entries_to_all(node, self, out);
}

static void take_appended(const CmcNode *node, Raft *self, uint8_t peer, const Message *answer,
                          CmcOut *out)
{
    if (self->role != LEADER || answer->index <= self->match[peer])
        return;
    if (answer->yes) {
        self->match[peer] = answer->index;
        self->next[peer] = (uint8_t)(answer->index + 1);
        advance_commit(node, self, out);
    } else if (answer->index < self->next[peer]) {
        self->next[peer] = answer->index;
        send_entries(self, peer, out);
    }
}

static void count_vote(const CmcNode *node, Raft *self, uint8_t voter, CmcOut *out)
{
    if (self->role != CANDIDATE)
        return;
    self->votes = (uint8_t)(self->votes | 1U << voter);
    if (is_majority(node, self->votes))
        become_leader(node, self, out);
}

static void ask_for_votes(const CmcNode *node, Raft *self, CmcOut *out)
{
    Message message = { .kind = REQUEST_VOTE, .index = self->now.log.length };

    message.index_term = log_term(&self->now.log, message.index);
    for (uint8_t to = 0; to < node->nodes; to++)
        if (to != node->id)
            send(self, to, message, out);
    count_vote(node, self, node->id, out);
}

/* The record is on the disk. Nobody waits for it if its term has passed. */
static void go_on(const CmcNode *node, Raft *self, const Record *record, CmcOut *out)
{
    const Message answer = { .kind = record->kind, .yes = true, .index = record->index };

    if (record->state.term != self->now.term)
        return;
    if (record->peer != node->id) {
        send(self, record->peer, answer, out);
    } else if (self->role == CANDIDATE) {
        ask_for_votes(node, self, out);
    } else if (self->role == LEADER) {
        self->match[node->id] = record->state.log.length;
        advance_commit(node, self, out);
    }
}

/* Bring to the disk what there is now, and then answer; or go on, if `peer` is the server
 * itself. */
static void write_and_answer(const CmcNode *node, Raft *self, uint8_t peer, uint8_t kind,
                             uint8_t index, CmcOut *out)
{
    Record record = { .state = self->now, .peer = peer, .kind = kind, .index = index };

    if (memcmp(&self->disk, &self->now, sizeof self->now) == 0)
        go_on(node, self, &record, out);
    else
        cmc_persist(out, &record, sizeof record);
}

/* No election begins behind the last term of the model, so that the worlds end. */
static void wait_for_leader(const CmcNode *node, const Raft *self, CmcOut *out)
{
    if (self->now.term < node->settings[TERMS])
        cmc_arm(out, ELECTION);
    else
        cmc_cancel(out, ELECTION);
}

static void become_follower(const CmcNode *node, Raft *self, CmcOut *out)
{
    self->role = FOLLOWER;
    self->votes = 0;
    memset(self->next, 0, sizeof self->next);
    memset(self->match, 0, sizeof self->match);
    wait_for_leader(node, self, out);
}

static void become_candidate(const CmcNode *node, Raft *self, CmcOut *out)
{
    self->role = CANDIDATE;
    self->votes = 0;
    self->now.term++;
    self->now.voted_for = candidate_number(node->id);
    wait_for_leader(node, self, out);
    write_and_answer(node, self, node->id, 0, 0, out);
}

static void notice_term(const CmcNode *node, Raft *self, uint8_t term, CmcOut *out)
{
    if (term <= self->now.term)
        return;
    self->now.term = term;
    self->now.voted_for = 0;
    become_follower(node, self, out);
}

static bool is_up_to_date(const Raft *self, const Message *request)
{
    uint8_t last_term = log_term(&self->now.log, self->now.log.length);

#if BUG == 3 /* Any candidate will do, whatever its log lacks. */
    (void)request, (void)last_term;
    return true;
#else
    return request->index_term > last_term ||
           (request->index_term == last_term && request->index >= self->now.log.length);
#endif
}

static void take_vote_request(const CmcNode *node, Raft *self, uint8_t peer, const Message *request,
                              CmcOut *out)
{
    uint8_t candidate = candidate_number(peer);
    bool is_free = self->now.voted_for == 0 || self->now.voted_for == candidate;

    if (!is_free || !is_up_to_date(self, request))
        return;
    self->now.voted_for = candidate;
#if BUG == 1 /* The vote does not wait until it is durable. */
    send(self, peer, (Message){ .kind = VOTE, .yes = true }, out);
#endif
    write_and_answer(node, self, peer, VOTE, 0, out);
}

static bool has_in_common(const Raft *self, const Message *request)
{
    if (request->index > self->now.log.length)
        return false;
#if BUG == 4 /* There is an entry, and it is not compared with the leader's. */
    return true;
#else
    return log_term(&self->now.log, request->index) == request->index_term;
#endif
}

/* An entry that differs from the leader's goes, with all behind it. One that does not stays: the
 * request may be an old one, with less than there is. */
static void take_over(Log *log, const Message *request)
{
    for (uint8_t i = 0; i < request->sent.length; i++) {
        Entry entry = request->sent.entry[i];
        uint8_t index = (uint8_t)(request->index + i + 1);
        if (index <= log->length && log_term(log, index) == entry.term)
            continue;
        log_cut(log, index);
        log_append(log, entry);
    }
}

static void follow(const CmcNode *node, Raft *self, uint8_t leader, const Message *request,
                   CmcOut *out)
{
    uint8_t last = (uint8_t)(request->index + request->sent.length);
    uint8_t commit = request->commit < last ? request->commit : last;

    take_over(&self->now.log, request);
    if (commit > self->commit)
        self->commit = commit;
#if BUG == 5 /* The acknowledgement does not wait until the entries are durable. */
    send(self, leader, (Message){ .kind = APPENDED, .yes = true, .index = last }, out);
#endif
    write_and_answer(node, self, leader, APPENDED, last, out);
}

static void take_entries(const CmcNode *node, Raft *self, uint8_t peer, const Message *request,
                         CmcOut *out)
{
    if (self->role == CANDIDATE)
        become_follower(node, self, out);
    if (has_in_common(self, request))
        follow(node, self, peer, request, out);
    else
        send(self, peer, (Message){ .kind = APPENDED, .index = request->index }, out);
}

/* A request from a term that has passed is refused, by the term of the answer; an answer is
 * ignored. */
static void take_late_message(const Raft *self, uint8_t peer, const Message *message, CmcOut *out)
{
    if (message->kind == REQUEST_VOTE)
        send(self, peer, (Message){ .kind = VOTE, .yes = false }, out);
    else if (message->kind == APPEND_ENTRIES)
        send(self, peer, (Message){ .kind = APPENDED, .yes = false }, out);
}

static void take_message(const CmcNode *node, Raft *self, const CmcEvent *event, CmcOut *out)
{
    Message message;

    memcpy(&message, event->data, sizeof message);
    notice_term(node, self, message.term, out);
    if (message.term < self->now.term)
        take_late_message(self, event->peer, &message, out);
    else if (message.kind == REQUEST_VOTE)
        take_vote_request(node, self, event->peer, &message, out);
    else if (message.kind == APPEND_ENTRIES)
        take_entries(node, self, event->peer, &message, out);
    else if (message.kind == VOTE && message.yes)
        count_vote(node, self, event->peer, out);
    else if (message.kind == APPENDED)
        take_appended(node, self, event->peer, &message, out);
}

static void take_command(const CmcNode *node, Raft *self, uint8_t request, CmcOut *out)
{
    Entry entry = { .term = self->now.term, .command = command_of(node->id, request) };

    if (self->role != LEADER || self->now.log.length == LOG_SIZE)
        return;
    log_append(&self->now.log, entry);
    send_entries_to_all(node, self, out);
    write_and_answer(node, self, node->id, 0, 0, out);
}

static void finish_writing(const CmcNode *node, Raft *self, const CmcEvent *event, CmcOut *out)
{
    Record record;

    memcpy(&record, event->data, sizeof record);
    go_on(node, self, &record, out);
}

/* Servers are alike, so that nothing is lost if it is server 0 that loses patience first. */
static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    Raft *self = state;

    (void)index;
    if (node->settings[FIGURE_8])
        self->disk = figure_8(node->id);
    self->now = self->disk;
    if (node->id == 0)
        wait_for_leader(node, self, out);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Raft *self = state;

    switch (event->kind) {
    case CMC_EV_MESSAGE:
        take_message(node, self, event, out);
        break;
    case CMC_EV_TIMER:
        become_candidate(node, self, out);
        break;
    case CMC_EV_FLUSHED:
        finish_writing(node, self, event, out);
        break;
    case CMC_EV_CLIENT:
        take_command(node, self, event->id, out);
        break;
    case CMC_EV_RESET:
        if (self->role == LEADER)
            send_entries(self, event->peer, out);
        break;
    case CMC_EV_RESTART:
        self->now = self->disk;
        become_follower(node, self, out);
        break;
    default:
        break;
    }
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    (void)node, (void)len;
    memcpy(durable, record, sizeof(Persistent));
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "raft",
    .state_size = sizeof(Raft),
    .durable_size = DURABLE_SIZE,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
