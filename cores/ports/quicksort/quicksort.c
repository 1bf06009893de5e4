/* Quicksort without its recursion: intervals are partitioned in any order and in any way, by L.
 * Lamport (the algorithm: C. A. R. Hoare, 1961). Counts: model MCQuicksort, github
 * tlaplus/Examples, specifications/LoopInvariance.
 *
 * Default (Values=3 MaxSeqLen=4), with a deadlock check: TypeOK, PCorrect and Inv hold; 4548
 * distinct and 11223 generated states, depth 9. */

#include "../../calibration/actions.h"
#include "quicksort.h"

enum { SORTED, PARTITION, ALL_SORTED, TERMINATING };

/* How many sequences have a length from 1 to `len`. */
static uint32_t sequences(unsigned values, unsigned len)
{
    uint32_t count = 0, power = 1;
    for (unsigned i = 0; i < len; i++)
        count += power *= values;
    return count;
}

static uint32_t initial_count(const CmcNode *node)
{
    return sequences(node->settings[VALUES], node->settings[MAX_SEQ_LEN]);
}

/* Every sequence but the empty one, short ones first. */
static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    unsigned values = node->settings[VALUES];
    State *s = state;
    (void)out;
    while (index >= sequences(values, s->len + 1u))
        s->len++;
    index -= sequences(values, s->len);
    s->len++;
    for (unsigned i = 0; i < s->len; i++, index /= values)
        s->seq[i] = s->seq0[i] = (uint8_t)(index % values);
    s->U = UINT64_C(1) << interval(0, s->len - 1u);
}

static void swap(uint8_t *one, uint8_t *other)
{
    uint8_t kept = *one;
    *one = *other;
    *other = kept;
}

static void reverse(uint8_t *seq, unsigned len)
{
    for (unsigned i = 0; i < len / 2; i++)
        swap(&seq[i], &seq[len - 1 - i]);
}

/* The next permutation in lexicographic order; false, and the first one, after the last. */
static bool next_permutation(uint8_t *seq, unsigned len)
{
    unsigned tail = len - 1, other = len - 1;
    while (tail > 0 && seq[tail - 1] >= seq[tail])
        tail--;
    if (tail > 0) {
        while (seq[other] <= seq[tail - 1])
            other--;
        swap(&seq[tail - 1], &seq[other]);
    }
    reverse(seq + tail, len - tail);
    return tail > 0;
}

/* Nothing in the first `left` places is larger than anything in the others. */
static bool is_partition(const uint8_t *seq, unsigned len, unsigned left)
{
    for (unsigned i = 0; i < left; i++)
        for (unsigned j = left; j < len; j++)
            if (seq[i] > seq[j])
                return false;
    return true;
}

/* Go through the partitions of `seq` into `left` places and the rest, in lexicographic order, to
 * the one with number `index`, and leave it in `seq`; how many there were up to it, and it
 * included. */
static unsigned partition(uint8_t *seq, unsigned len, unsigned left, unsigned index)
{
    unsigned count = 0;
    while (next_permutation(seq, len))
        ;
    do
        count += is_partition(seq, len, left);
    while (count <= index && next_permutation(seq, len));
    return count;
}

static void list_partitions(Actions *to, const State *s, unsigned first, unsigned last)
{
    for (unsigned p = first; p < last; p++) {
        uint8_t seq[MAX_LEN];
        unsigned len = last - first + 1;
        memcpy(seq, s->seq + first, len);
        unsigned count = partition(seq, len, p - first + 1, UINT8_MAX);
        for (unsigned i = 0; i < count; i++)
            act2(to, PARTITION, interval(first, last), p, i);
    }
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    (void)node;
    if (s->pc == DONE)
        act(&to, TERMINATING, 0);
    else if (s->U == 0)
        act(&to, ALL_SORTED, 0);
    for (unsigned first = 0; first < s->len; first++)
        for (unsigned last = first; last < s->len; last++) {
            if (!is_left(s, first, last))
                continue;
            if (first == last)
                act(&to, SORTED, interval(first, last));
            list_partitions(&to, s, first, last);
        }
    return to.count;
}

static void split(State *s, unsigned of, unsigned p, unsigned index)
{
    unsigned first = of / 8, last = of % 8;
    partition(s->seq + first, last - first + 1, p - first + 1, index);
    s->U &= ~(UINT64_C(1) << of);
    s->U |= UINT64_C(1) << interval(first, p) | UINT64_C(1) << interval(p + 1, last);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case SORTED:
        s->U &= ~(UINT64_C(1) << event->peer);
        break;
    case PARTITION:
        split(s, event->peer, event->data[0], event->data[1]);
        break;
    case ALL_SORTED:
        s->pc = DONE;
        break;
    default:
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Quicksort",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
