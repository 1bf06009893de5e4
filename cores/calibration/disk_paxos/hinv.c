/* The invariants HInv1 to HInv6 of HDiskSynod, which together are inductive. */

#include "hinv.h"
#include "disk_paxos.h"

/* A set of blocks: the places that they have as blocks of process 0. */
typedef struct Blocks {
    uint64_t set[WORDS];
    unsigned words;
} Blocks;

static void add_read_blocks(const uint8_t *k, const State *s, unsigned p, Blocks *to,
                            unsigned reader)
{
    unsigned first = p * block_count(k), words = blocks_read_words(k);
    for (unsigned d = 0; d < k[D]; d++) {
        const uint64_t *read = blocks_read(k, s, reader, d);
        for (unsigned i = bits_next(read, words, first); i < first + block_count(k);
             i = bits_next(read, words, i + 1))
            bits_add(to->set, i - first);
    }
}

/* All blocks of p anywhere: its own, those on disks, those that were read. */
static Blocks blocks_of(const uint8_t *k, const State *s, unsigned p)
{
    Blocks blocks = {{0}, bits_words(block_count(k))};
    bits_add(blocks.set, block_index(k, s->dblock[p], 0));
    for (unsigned d = 0; d < k[D]; d++)
        bits_add(blocks.set, block_index(k, s->disk[d][p], 0));
    for (unsigned reader = 0; reader < k[N]; reader++)
        add_read_blocks(k, s, p, &blocks, reader);
    return blocks;
}

/* The blocks that p has read, of whatever process. */
static Blocks blocks_read_by(const uint8_t *k, const State *s, unsigned p)
{
    Blocks blocks = {{0}, bits_words(block_count(k))};
    for (unsigned q = 0; q < k[N]; q++)
        add_read_blocks(k, s, q, &blocks, p);
    return blocks;
}

static bool has_block(const uint8_t *k, const State *s, unsigned p, unsigned d, unsigned q)
{
    return bits_has(blocks_read(k, s, p, d), block_index(k, s->dblock[q], q));
}

static bool has_read_anything(const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    unsigned words = blocks_read_words(k);
    return bits_next(blocks_read(k, s, p, d), words, 0) < 64 * words;
}

static bool is_block(const uint8_t *k, Block block)
{
    return mbal(block) < ballot_count(k) && bal(block) < ballot_count(k) && inp(block) <= k[V];
}

/* Type correctness. Sets of blocks cannot be wrong but in members that they have no room for. */
bool hinv1(const uint8_t *k, const void *state)
{
    const State *s = state;
    unsigned words = blocks_read_words(k), values = (2u << k[V]) - 2;
    for (unsigned p = 0; p < k[N]; p++) {
        if (s->input[p] < 1 || s->input[p] > k[V] || s->output[p] > k[V] || s->phase[p] > 3 ||
            s->disksWritten[p] >> k[D] || !is_block(k, s->dblock[p]))
            return false;
        for (unsigned d = 0; d < k[D]; d++)
            if (!is_block(k, s->disk[d][p]) ||
                bits_next(blocks_read(k, s, p, d), words, k[N] * block_count(k)) < 64 * words)
                return false;
    }
    return s->chosen <= k[V] && (s->allInput & ~values) == 0;
}

static bool block_is_sound(const uint8_t *k, const State *s, unsigned p, Block block)
{
    return (mbal(block) == 0 || in_ballot(k, p, mbal(block))) &&
           (bal(block) == 0 || in_ballot(k, p, bal(block))) &&
           (bal(block) == 0) == (inp(block) == 0) && mbal(block) >= bal(block) &&
           (inp(block) == 0 || s->allInput >> inp(block) & 1);
}

static bool blocks_are_sound(const uint8_t *k, const State *s, unsigned p)
{
    Blocks blocks = blocks_of(k, s, p);
    for (EACH_BIT(i, blocks.set, blocks.words))
        if (!block_is_sound(k, s, p, block_at(k, i)))
            return false;
    return true;
}

static bool disk_is_sound(const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    bool working = s->phase[p] == 1 || s->phase[p] == 2, written = s->disksWritten[p] >> d & 1;
    if (written && (!working || s->disk[d][p] != s->dblock[p]))
        return false;
    if (working && has_read_anything(k, s, p, d) && !written)
        return false;
    return !working || !has_read(k, s, p, d, p);
}

/* In phase 0, p has read nothing but its own blocks as they are on disk. */
static bool phase_0_is_sound(const uint8_t *k, const State *s, unsigned p)
{
    unsigned words = blocks_read_words(k);
    if (s->dblock[p] != 0 || s->disksWritten[p] != 0)
        return false;
    for (unsigned d = 0; d < k[D]; d++) {
        const uint64_t *read = blocks_read(k, s, p, d);
        for (EACH_BIT(i, read, words))
            if (process_at(k, i) != p || block_at(k, i) != s->disk[d][p])
                return false;
    }
    return true;
}

static bool later_phase_is_sound(const uint8_t *k, const State *s, unsigned p)
{
    Block own = s->dblock[p];
    Blocks read = blocks_read_by(k, s, p);
    if (!in_ballot(k, p, mbal(own)) || (bal(own) != 0 && !in_ballot(k, p, bal(own))))
        return false;
    if (s->phase[p] >= 2 && bal(own) != mbal(own))
        return false;
    for (EACH_BIT(i, read.set, read.words))
        if (mbal(block_at(k, i)) >= mbal(own))
            return false;
    return true;
}

static bool values_are_sound(const State *s, unsigned p)
{
    return s->output[p] == (s->phase[p] == 3 ? inp(s->dblock[p]) : 0) &&
           s->allInput >> s->input[p] & 1 && (s->chosen != 0 || s->output[p] == 0);
}

bool hinv2(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++) {
        if (!blocks_are_sound(k, s, p) || !values_are_sound(s, p))
            return false;
        for (unsigned d = 0; d < k[D]; d++)
            if (!disk_is_sound(k, s, p, d))
                return false;
        if (!(s->phase[p] == 0 ? phase_0_is_sound(k, s, p) : later_phase_is_sound(k, s, p)))
            return false;
    }
    return s->chosen == 0 || s->allInput >> s->chosen & 1;
}

bool hinv3(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < k[N]; q++)
            for (unsigned d = 0; d < k[D]; d++) {
                bool working = (s->phase[p] == 1 || s->phase[p] == 2) &&
                               (s->phase[q] == 1 || s->phase[q] == 2);
                if (working && has_read(k, s, p, d, q) && has_read(k, s, q, d, p) &&
                    !has_block(k, s, p, d, q) && !has_block(k, s, q, d, p))
                    return false;
            }
    return true;
}

/* Some majority is within `disks`. */
static bool holds_a_majority(const uint8_t *k, unsigned disks)
{
    return is_majority(k, disks);
}

/* Every majority has a member in `disks`: what is left without them is none. */
static bool meets_every_majority(const uint8_t *k, unsigned disks)
{
    return !is_majority(k, ~disks & ((1u << k[D]) - 1));
}

/* The disks on which p's register has at least these. */
static unsigned disks_from(const uint8_t *k, const State *s, unsigned p, unsigned least_mbal,
                           unsigned least_bal)
{
    unsigned disks = 0;
    for (unsigned d = 0; d < k[D]; d++)
        if (mbal(s->disk[d][p]) >= least_mbal && bal(s->disk[d][p]) >= least_bal)
            disks |= 1u << d;
    return disks;
}

static bool own_block_leads(const uint8_t *k, const State *s, unsigned p)
{
    unsigned old = 0, same = 0;
    Block own = s->dblock[p];
    Blocks blocks = blocks_of(k, s, p);
    for (EACH_BIT(i, blocks.set, blocks.words)) {
        unsigned other = bal(block_at(k, i));
        if (mbal(own) < other || (s->phase[p] == 1 && mbal(own) == other))
            return false;
    }
    for (unsigned d = 0; d < k[D]; d++) {
        Block written = s->disk[d][p];
        old |= (unsigned)(mbal(own) >= mbal(written) && bal(own) >= bal(written)) << d;
        same |= (unsigned)(mbal(written) == bal(own)) << d;
    }
    return meets_every_majority(k, old) && (s->phase[p] == 1 || holds_a_majority(k, same));
}

bool hinv4(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++) {
        Blocks blocks = blocks_of(k, s, p);
        if (s->phase[p] != 0 && !own_block_leads(k, s, p))
            return false;
        for (EACH_BIT(i, blocks.set, blocks.words))
            if (!holds_a_majority(k, disks_from(k, s, p, bal(block_at(k, i)), 0)))
                return false;
    }
    return true;
}

/* Every block anywhere with bal >= b has input v. */
static bool max_bal_inp(const uint8_t *k, const State *s, unsigned b, unsigned v)
{
    for (unsigned p = 0; p < k[N]; p++) {
        Blocks blocks = blocks_of(k, s, p);
        for (EACH_BIT(i, blocks.set, blocks.words))
            if (bal(block_at(k, i)) >= b && inp(block_at(k, i)) != v)
                return false;
    }
    return true;
}

/* On all disks of some majority, some q has gone beyond p's ballot, and p has not read it. */
static bool is_overtaken(const uint8_t *k, const State *s, unsigned p)
{
    for (unsigned q = 0; q < k[N]; q++) {
        unsigned disks = disks_from(k, s, q, bal(s->dblock[p]) + 1, 0);
        for (unsigned d = 0; d < k[D]; d++)
            disks &= ~((unsigned)has_read(k, s, p, d, q) << d);
        if (holds_a_majority(k, disks))
            return true;
    }
    return false;
}

bool hinv5(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->phase[p] == 2 && !max_bal_inp(k, s, bal(s->dblock[p]), inp(s->dblock[p])) &&
            !is_overtaken(k, s, p))
            return false;
    return true;
}

/* Every q in phase 1 with a ballot from b on that has read p on disk d has read a block with a bal
 * from b on there. */
static bool readers_know(const uint8_t *k, const State *s, unsigned p, unsigned d, unsigned b)
{
    unsigned words = blocks_read_words(k);
    for (unsigned q = 0; q < k[N]; q++) {
        bool knows = s->phase[q] != 1 || mbal(s->dblock[q]) < b || !has_read(k, s, q, d, p);
        const uint64_t *read = blocks_read(k, s, q, d);
        for (unsigned i = bits_next(read, words, 0); !knows && i < 64 * words;
             i = bits_next(read, words, i + 1))
            knows = bal(block_at(k, i)) >= b;
        if (!knows)
            return false;
    }
    return true;
}

static bool is_chosen_by(const uint8_t *k, const State *s, unsigned p, unsigned b)
{
    unsigned disks = disks_from(k, s, p, 0, b);
    for (unsigned d = 0; d < k[D]; d++)
        if (!readers_know(k, s, p, d, b))
            disks &= ~(1u << d);
    return holds_a_majority(k, disks);
}

static bool value_chosen(const uint8_t *k, const State *s, unsigned v)
{
    for (unsigned b = 1; b < ballot_count(k); b++)
        for (unsigned p = 0; p < k[N]; p++)
            if (is_chosen_by(k, s, p, b) && max_bal_inp(k, s, b, v))
                return true;
    return false;
}

bool hinv6(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->output[p] != 0 && s->output[p] != s->chosen)
            return false;
    return s->chosen == 0 || value_chosen(k, s, s->chosen);
}
