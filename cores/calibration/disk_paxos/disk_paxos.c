/* Disk Paxos: E. Gafni and L. Lamport, Disk Paxos, Distributed Computing 16(1), 2003; the
 * specification of its appendix (modules Synod, DiskSynod and HDiskSynod, by L. Lamport; github
 * tlaplus/Examples, specifications/diskpaxos). Here a majority is counted over the disks; "any"
 * takes every non-empty set for one, a broken quorum.
 *
 * Default (N=2 V=2 D=1 K=1), with a deadlock check: Agreement and HInv1 to HInv6 hold; 1902
 * distinct and 12740 generated states, depth 19. */

#include "../actions.h"
#include "disk_paxos.h"

enum { START_BALLOT, PHASE0_READ, WRITE, READ, END_PHASE_1_OR_2, FAIL, END_PHASE_0 };

/* V^N, one for each assignment of inputs. */
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
        s->input[p] = (uint8_t)(index % k[V] + 1);
        s->allInput |= (uint16_t)(1u << s->input[p]);
    }
}

static bool in_phase_1_or_2(const State *s, unsigned p)
{
    return s->phase[p] == 1 || s->phase[p] == 2;
}

static void list_start_ballot(Actions *to, const uint8_t *k, const State *s, unsigned p)
{
    if (!in_phase_1_or_2(s, p))
        return;
    for (unsigned b = first_ballot(k, p); in_ballot(k, p, b); b++)
        if (b > mbal(s->dblock[p]))
            act1(to, START_BALLOT, p, b);
}

/* Reading a block with a larger ballot starts a ballot. */
static void list_disk(Actions *to, const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    if (s->phase[p] == 0)
        act1(to, PHASE0_READ, p, d);
    if (in_phase_1_or_2(s, p))
        act1(to, WRITE, p, d);
    if (!(s->disksWritten[p] >> d & 1))
        return;
    for (unsigned q = 0; q < k[N]; q++) {
        if (q == p)
            continue;
        if (mbal(s->disk[d][q]) < mbal(s->dblock[p]))
            act2(to, READ, p, d, q);
        else
            list_start_ballot(to, k, s, p);
    }
}

/* On disk d, p has written and has read every other process. */
static bool has_finished(const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    for (unsigned q = 0; q < k[N]; q++)
        if (q != p && !has_read(k, s, p, d, q))
            return false;
    return s->disksWritten[p] >> d & 1;
}

static bool may_end_phase_1_or_2(const uint8_t *k, const State *s, unsigned p)
{
    unsigned disks = 0;
    if (!in_phase_1_or_2(s, p))
        return false;
    for (unsigned d = 0; d < k[D]; d++)
        disks |= (unsigned)has_finished(k, s, p, d) << d;
    return is_majority(k, disks);
}

static bool may_end_phase_0(const uint8_t *k, const State *s, unsigned p)
{
    unsigned disks = 0;
    if (s->phase[p] != 0)
        return false;
    for (unsigned d = 0; d < k[D]; d++)
        disks |= (unsigned)has_read(k, s, p, d, p) << d;
    return is_majority(k, disks);
}

/* The largest mbal among the blocks that p has read. */
static unsigned largest_mbal(const uint8_t *k, const State *s, unsigned p)
{
    unsigned words = blocks_read_words(k), largest = 0;
    for (unsigned d = 0; d < k[D]; d++) {
        const uint64_t *read = blocks_read(k, s, p, d);
        for (EACH_BIT(i, read, words))
            if (mbal(block_at(k, i)) > largest)
                largest = mbal(block_at(k, i));
    }
    return largest;
}

static void list_process(Actions *to, const uint8_t *k, const State *s, unsigned p)
{
    list_start_ballot(to, k, s, p);
    for (unsigned d = 0; d < k[D]; d++)
        list_disk(to, k, s, p, d);
    if (may_end_phase_1_or_2(k, s, p))
        act(to, END_PHASE_1_OR_2, p);
    for (unsigned v = 1; v <= k[V]; v++)
        act1(to, FAIL, p, v);
    if (may_end_phase_0(k, s, p))
        for (unsigned b = first_ballot(k, p); in_ballot(k, p, b); b++)
            if (b > largest_mbal(k, s, p))
                act1(to, END_PHASE_0, p, b);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    Actions to = {actions, cap, 0};
    for (unsigned p = 0; p < node->settings[N]; p++)
        list_process(&to, node->settings, state, p);
    return to.count;
}

static void reset(const uint8_t *k, State *s, unsigned p)
{
    unsigned words = k[D] * blocks_read_words(k);
    s->disksWritten[p] = 0;
    bits_clear(s->blocksRead + p * words, words);
}

static void read_block(const uint8_t *k, State *s, unsigned p, unsigned d, unsigned q)
{
    uint64_t *read = s->blocksRead + (p * k[D] + d) * blocks_read_words(k);
    bits_add(read, block_index(k, s->disk[d][q], q));
}

static void start_ballot(const uint8_t *k, State *s, unsigned p, unsigned b)
{
    s->phase[p] = 1;
    s->dblock[p] = make_block(b, bal(s->dblock[p]), inp(s->dblock[p]));
    reset(k, s, p);
}

/* Of `start` and the blocks that p has read, the one with the largest bal, without those that have
 * no input if `with_input`. Blocks with the same bal have the same inp. */
static Block largest_bal(const uint8_t *k, const State *s, unsigned p, Block start, bool with_input)
{
    unsigned words = blocks_read_words(k);
    Block largest = start;
    for (unsigned d = 0; d < k[D]; d++) {
        const uint64_t *read = blocks_read(k, s, p, d);
        for (EACH_BIT(i, read, words)) {
            Block block = block_at(k, i);
            if (with_input && inp(block) == 0)
                continue;
            if (bal(block) > bal(largest) || (with_input && inp(largest) == 0))
                largest = block;
        }
    }
    return largest;
}

static void end_phase_1_or_2(const uint8_t *k, State *s, unsigned p)
{
    if (s->phase[p] == 1) {
        unsigned ballot = mbal(s->dblock[p]);
        unsigned proposal = inp(largest_bal(k, s, p, s->dblock[p], true));
        s->dblock[p] = make_block(ballot, ballot, proposal ? proposal : s->input[p]);
        s->phase[p] = 2;
    } else {
        s->output[p] = (uint8_t)inp(s->dblock[p]);
        s->phase[p] = 3;
    }
    reset(k, s, p);
}

static void fail(const uint8_t *k, State *s, unsigned p, unsigned v)
{
    s->input[p] = (uint8_t)v;
    s->phase[p] = 0;
    s->dblock[p] = 0;
    s->output[p] = 0;
    reset(k, s, p);
}

static void end_phase_0(const uint8_t *k, State *s, unsigned p, unsigned b)
{
    Block largest = largest_bal(k, s, p, 0, false);
    s->dblock[p] = make_block(b, bal(largest), inp(largest));
    s->phase[p] = 1;
    reset(k, s, p);
}

/* What HDiskSynod adds to every step. */
static void note_history(const uint8_t *k, State *s)
{
    for (unsigned p = 0; p < k[N]; p++) {
        s->allInput |= (uint16_t)(1u << s->input[p]);
        if (s->chosen == 0)
            s->chosen = s->output[p];
    }
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    unsigned p = event->peer, witness = event->data[0];
    State *s = state;
    (void)out;
    switch (event->id) {
    case START_BALLOT:
        start_ballot(k, s, p, witness);
        break;
    case PHASE0_READ:
        read_block(k, s, p, witness, p);
        break;
    case WRITE:
        s->disk[witness][p] = s->dblock[p];
        s->disksWritten[p] |= (uint8_t)(1u << witness);
        break;
    case READ:
        read_block(k, s, p, witness, event->data[1]);
        break;
    case END_PHASE_1_OR_2:
        end_phase_1_or_2(k, s, p);
        break;
    case FAIL:
        fail(k, s, p, witness);
        break;
    default:
        end_phase_0(k, s, p, witness);
        break;
    }
    note_history(k, s);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Disk Paxos with disks",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
