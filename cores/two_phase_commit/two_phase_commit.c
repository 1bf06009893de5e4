/* Two-phase commit: J. N. Gray, "Notes on data base operating systems", Operating Systems: An
 * Advanced Course, Springer 1978; B. W. Lampson, H. E. Sturgis, "Crash recovery in a distributed
 * data storage system", Xerox PARC 1979.
 *
 * Node 0 coordinates one transaction, which its client asks it to commit; the others take part. The
 * client of a participant withdraws it, as long as it has not voted. Messages may be lost, doubled
 * and overtaken, and nodes may crash. A vote and a decision are durable before anybody hears of
 * them. The coordinator never forgets, so that nothing has to be acknowledged.
 *
 * expect: verdict=pass distinct=79457 generated=442121 depth=24
 * expect: set=crashes=0 verdict=pass distinct=14201 generated=65790 depth=20
 * expect: set=crashes=2 verdict=pass distinct=272623 generated=1692004 depth=28
 * expect: set=dups=1 verdict=pass distinct=418050 generated=2708862 depth=25
 * expect: set=crashes=0,network=fifo,drops=1 verdict=pass distinct=50415 generated=260068 depth=22
 * expect: bug=1 verdict=violated property="nobody commits before the coordinator" trace_len=10 distinct=10121 generated=33983 depth=10 simulate_seed=1
 * expect: bug=2 verdict=violated property="what commits has been prepared by all" trace_len=7 distinct=597 generated=1427 depth=7 simulate_seed=1
 * expect: bug=3 verdict=violated property="nobody commits what another aborts" trace_len=11 distinct=6050 generated=23284 depth=11 simulate_seed=1
 * expect: bug=4 verdict=violated property="the client is told what is decided" trace_len=11 distinct=7891 generated=27214 depth=11 simulate_seed=9
 */

#include <cmc.h>

#include "two_phase_commit.h"

enum { PATIENCE = 0 };

static void tell(uint8_t to, uint8_t what, CmcOut *out)
{
    cmc_send(out, to, &what, sizeof what);
}

static void tell_participants(const CmcNode *node, uint8_t what, CmcOut *out)
{
    for (uint8_t to = COORDINATOR + 1; to < node->nodes; to++)
        tell(to, what, out);
}

static void write_entry(TwoPhaseCommit *self, uint8_t entry, CmcOut *out)
{
    self->writing = entry;
    cmc_persist(out, &entry, sizeof entry);
}

static bool is_decided(const TwoPhaseCommit *self)
{
    return self->log == COMMITTED || self->log == ABORTED;
}

static void decide(const CmcNode *node, TwoPhaseCommit *self, uint8_t outcome, CmcOut *out)
{
    self->voting = false;
    self->votes = 0;
    write_entry(self, outcome, out);
#if BUG == 1 /* The decision is told before it is durable. */
    tell_participants(node, outcome, out);
#else
    (void)node;
#endif
}

static void begin(const CmcNode *node, TwoPhaseCommit *self, CmcOut *out)
{
    if (self->voting || self->writing != NOTHING || self->log != NOTHING)
        return;
    self->voting = true;
    tell_participants(node, PREPARE, out);
    cmc_arm(out, PATIENCE);
}

static void take_vote(const CmcNode *node, TwoPhaseCommit *self, uint8_t from, uint8_t vote,
                      CmcOut *out)
{
    const unsigned everyone = (1U << node->nodes) - (1U << (COORDINATOR + 1));

    if (vote == PREPARED)
        self->votes = (uint8_t)(self->votes | 1U << from);
    if (vote == ABORTED)
        decide(node, self, ABORTED, out);
    else if (self->votes == everyone)
        decide(node, self, COMMITTED, out);
}

static void hear_participant(const CmcNode *node, TwoPhaseCommit *self, const CmcEvent *event,
                             CmcOut *out)
{
    uint8_t entry = event->data[0];

    if (self->voting)
        take_vote(node, self, event->peer, entry, out);
    else if (entry == PREPARED && is_decided(self))
        tell(event->peer, self->log, out);
}

static void give_up(const CmcNode *node, TwoPhaseCommit *self, CmcOut *out)
{
#if BUG == 4 /* It decides again, with the last vote in and the decision on its way to the disk. */
    bool late = false;
#else
    bool late = !self->voting;
#endif
    if (!late)
        decide(node, self, ABORTED, out);
}

/* Back from a crash. Without a decision it cannot know who was asked and what they voted; nobody
 * was told to commit. */
static void recover_coordinator(const CmcNode *node, TwoPhaseCommit *self, CmcOut *out)
{
    if (!is_decided(self))
        decide(node, self, ABORTED, out);
}

static void announce(const CmcNode *node, TwoPhaseCommit *self, CmcOut *out)
{
    self->writing = NOTHING;
    cmc_cancel(out, PATIENCE);
    cmc_reply(out, &self->log, sizeof self->log);
    tell_participants(node, self->log, out);
}

static void step_coordinator(const CmcNode *node, TwoPhaseCommit *self, const CmcEvent *event,
                             CmcOut *out)
{
    switch (event->kind) {
    case CMC_EV_CLIENT:
        begin(node, self, out);
        break;
    case CMC_EV_MESSAGE:
        hear_participant(node, self, event, out);
        break;
    case CMC_EV_TIMER:
        give_up(node, self, out);
        break;
    case CMC_EV_FLUSHED:
        announce(node, self, out);
        break;
    case CMC_EV_RESTART:
        recover_coordinator(node, self, out);
        break;
    default:
        break;
    }
}

/* The vote of one that has prepared is also its question what was decided. */
static void vote(const TwoPhaseCommit *self, CmcOut *out)
{
    tell(COORDINATOR, self->log, out);
    if (self->log == PREPARED)
        cmc_arm(out, PATIENCE);
}

static void prepare(TwoPhaseCommit *self, CmcOut *out)
{
    if (self->log == NOTHING) {
        write_entry(self, PREPARED, out);
#if BUG == 2 /* The vote is told before it is durable. */
        tell(COORDINATOR, PREPARED, out);
#endif
    } else {
        vote(self, out);
    }
}

static void hear_coordinator(TwoPhaseCommit *self, const CmcEvent *event, CmcOut *out)
{
    uint8_t what = event->data[0];

    /* It comes again: the coordinator loses patience, or this node asks. */
    if (self->writing != NOTHING)
        return;
    if (what == PREPARE)
        prepare(self, out);
    else if (!is_decided(self))
        write_entry(self, what, out);
}

static void withdraw(TwoPhaseCommit *self, CmcOut *out)
{
    if (self->log == NOTHING && self->writing == NOTHING)
        write_entry(self, ABORTED, out);
}

static void finish_writing(TwoPhaseCommit *self, CmcOut *out)
{
    self->writing = NOTHING;
    if (self->log == PREPARED)
        vote(self, out);
    else
        cmc_cancel(out, PATIENCE);
}

/* Only the coordinator can end its doubt. It would ask for ever, were the worlds not to end. */
static void lose_patience(const CmcNode *node, TwoPhaseCommit *self, CmcOut *out)
{
    bool asks = self->asked < node->settings[QUESTIONS];

    if (self->log != PREPARED || self->writing != NOTHING || !asks)
        return;
#if BUG == 3 /* Who hears nothing aborts, bound by its vote or not. */
    write_entry(self, ABORTED, out);
#else
    self->asked++;
    vote(self, out);
#endif
}

static void step_participant(const CmcNode *node, TwoPhaseCommit *self, const CmcEvent *event,
                             CmcOut *out)
{
    switch (event->kind) {
    case CMC_EV_CLIENT:
        withdraw(self, out);
        break;
    case CMC_EV_MESSAGE:
        hear_coordinator(self, event, out);
        break;
    case CMC_EV_TIMER:
        lose_patience(node, self, out);
        break;
    case CMC_EV_FLUSHED:
        finish_writing(self, out);
        break;
    case CMC_EV_RESTART:
        if (self->log == PREPARED)
            vote(self, out);
        break;
    default:
        break;
    }
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    if (node->id == COORDINATOR)
        step_coordinator(node, state, event, out);
    else
        step_participant(node, state, event, out);
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    (void)node;
    memcpy(durable, record, len);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "two_phase_commit",
    .state_size = sizeof(TwoPhaseCommit),
    .durable_size = DURABLE_SIZE,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
