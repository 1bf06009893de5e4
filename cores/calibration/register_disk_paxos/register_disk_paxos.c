/* Disk Paxos over single-writer multi-reader registers: E. Gafni and L. Lamport, Disk Paxos,
 * Distributed Computing 16(1), 2003, with one register for each process and no disks, as G. Losa
 * wrote it in PlusCal (github nano-o/MultiPaxos, DiskPaxos.tla, MIT licence).
 *
 * Default (N=2 B=2 V=2), without a deadlock check: Agreement and Inv1 to Inv4 hold; 900 distinct
 * and 1592 generated states, depth 21. */

#include "../actions.h"
#include "register_disk_paxos.h"

enum { WRITE, READ, ALL_READ, CHECK, TERMINATING };

/* |V|^N, one for each assignment of inputs. */
static uint32_t initial_count(const CmcNode *node)
{
    const uint8_t *k = node->settings;
    uint32_t count = 1;
    for (unsigned p = 0; p < k[N]; p++)
        count *= k[V];
    return count;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    for (unsigned p = k[N]; p-- > 0; index /= k[V]) {
        s->dblock[p] = make_block(next_ballot(k, p, 0), 0, index % k[V] + 1);
        s->phase[p] = 1;
    }
}

/* What p finds in rs[q] makes it give up its ballot. */
static bool preempted(const State *s, unsigned p, unsigned q)
{
    return mbal(s->rs[q]) > mbal(s->dblock[p]);
}

static void list_process(Actions *to, const uint8_t *k, const State *s, unsigned p)
{
    if (s->pc[p] == L1)
        act(to, WRITE, p);
    if (s->pc[p] == L2 && s->toRead[p] == DEFINED)
        act(to, ALL_READ, p);
    if (s->pc[p] == L2)
        for (unsigned q = 0; q < k[N]; q++)
            if (s->toRead[p] >> q & 1 &&
                (!preempted(s, p, q) || next_ballot(k, p, mbal(s->dblock[p]))))
                act1(to, READ, p, q);
    if (s->pc[p] == L3)
        act(to, CHECK, p);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned done = 0;
    for (unsigned p = 0; p < k[N]; p++) {
        list_process(&to, k, s, p);
        done += s->pc[p] == DONE;
    }
    if (done == k[N])
        act(&to, TERMINATING, 0);
    return to.count;
}

static void write_register(const uint8_t *k, State *s, unsigned p)
{
    s->rs[p] = s->dblock[p];
    s->toRead[p] = (uint8_t)(DEFINED | ((1u << k[N]) - 1));
    s->pc[p] = L2;
}

static void read_register(const uint8_t *k, State *s, unsigned p, unsigned q)
{
    Block own = s->dblock[p];
    if (preempted(s, p, q)) {
        s->dblock[p] = make_block(next_ballot(k, p, mbal(own)), bal(own), inp(own));
        s->phase[p] = 1;
        s->pc[p] = L1;
        return;
    }
    bits_add(s->blocksRead + p * blocks_read_words(k), block_index(k, s->rs[q]));
    s->toRead[p] &= (uint8_t) ~(1u << q);
}

/* The input to propose: of the blocks read that have a ballot, the one with the largest bal, and
 * the smallest inp of those; p's own if there is none. */
static unsigned proposal(const uint8_t *k, const State *s, unsigned p)
{
    unsigned words = blocks_read_words(k);
    const uint64_t *read = s->blocksRead + p * words;
    Block best = 0;
    for (EACH_BIT(i, read, words)) {
        Block block = block_at(k, i);
        if (mbal(block) == 0)
            continue;
        if (best == 0 || bal(block) > bal(best) ||
            (bal(block) == bal(best) && inp(block) < inp(best)))
            best = block;
    }
    return inp(best ? best : s->dblock[p]);
}

static void check_phase(const uint8_t *k, State *s, unsigned p)
{
    if (s->phase[p] == 2) {
        s->pc[p] = DONE;
        return;
    }
    unsigned ballot = mbal(s->dblock[p]);
    s->dblock[p] = make_block(ballot, ballot, proposal(k, s, p));
    s->phase[p] = 2;
    s->pc[p] = L1;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    unsigned p = event->peer;
    State *s = state;
    (void)out;
    switch (event->id) {
    case WRITE:
        write_register(k, s, p);
        break;
    case READ:
        read_register(k, s, p, event->data[0]);
        break;
    case ALL_READ:
        s->pc[p] = L3;
        break;
    case CHECK:
        check_phase(k, s, p);
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "register Disk Paxos",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
