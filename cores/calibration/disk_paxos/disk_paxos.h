/* The constants and the state of Disk Paxos with disks. What a configuration does not use is 0. */

#ifndef DISK_PAXOS_H
#define DISK_PAXOS_H

#include "../bits.h"

/* Settings: processes, inputs, disks, ballots of each process, which sets of disks are quorums. */
enum { N, V, D, K, QUORUM };
enum { QUORUM_MAJORITY, QUORUM_ANY };
enum { MAX_N = 3, MAX_V = 15, MAX_D = 3, MAX_K = 5, WORDS = 12 };

/* (mbal, bal, inp), four bits each; inp 0 is "no input". Ballot 0 is the initial one. Process p,
 * counted from 0, has the K ballots from first_ballot() on: the specification's without the gap of
 * K - 1 above 0, in the same order. */
typedef uint16_t Block;

typedef struct State {
    /* For each process and disk a set of blocks, each with the process whose block it is;
     * blocks_read_words() long. */
    uint64_t blocksRead[WORDS];
    Block disk[MAX_D][MAX_N];
    Block dblock[MAX_N];
    uint8_t input[MAX_N];
    uint8_t output[MAX_N];
    uint8_t phase[MAX_N];
    uint8_t disksWritten[MAX_N];
    /* History: the inputs that there ever were, as bits, and the first output. */
    uint16_t allInput;
    uint16_t chosen;
} State;

static inline unsigned mbal(Block block)
{
    return block >> 8;
}

static inline unsigned bal(Block block)
{
    return block >> 4 & 15;
}

static inline unsigned inp(Block block)
{
    return block & 15;
}

static inline Block make_block(unsigned mbal, unsigned bal, unsigned inp)
{
    return (Block)(mbal << 8 | bal << 4 | inp);
}

static inline unsigned ballot_count(const uint8_t *k)
{
    return (unsigned)k[N] * k[K] + 1;
}

static inline unsigned first_ballot(const uint8_t *k, unsigned p)
{
    return p * k[K] + 1;
}

static inline bool in_ballot(const uint8_t *k, unsigned p, unsigned b)
{
    return b >= first_ballot(k, p) && b < first_ballot(k, p + 1);
}

/* How many blocks there are. */
static inline unsigned block_count(const uint8_t *k)
{
    return ballot_count(k) * ballot_count(k) * (k[V] + 1u);
}

static inline unsigned blocks_read_words(const uint8_t *k)
{
    return bits_words(k[N] * block_count(k));
}

/* What p has read on disk d. */
static inline const uint64_t *blocks_read(const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    return s->blocksRead + (p * k[D] + d) * blocks_read_words(k);
}

/* The place of a block of process q in a set of blocks read, and back. */
static inline unsigned block_index(const uint8_t *k, Block block, unsigned q)
{
    unsigned ballots = mbal(block) * ballot_count(k) + bal(block);
    return q * block_count(k) + ballots * (k[V] + 1u) + inp(block);
}

static inline Block block_at(const uint8_t *k, unsigned index)
{
    unsigned rest = index % block_count(k), ballots = rest / (k[V] + 1u);
    return make_block(ballots / ballot_count(k), ballots % ballot_count(k), rest % (k[V] + 1u));
}

static inline unsigned process_at(const uint8_t *k, unsigned index)
{
    return index / block_count(k);
}

static inline bool has_read(const uint8_t *k, const State *s, unsigned p, unsigned d, unsigned q)
{
    unsigned first = q * block_count(k);
    return bits_next(blocks_read(k, s, p, d), blocks_read_words(k), first) < first + block_count(k);
}

static inline bool is_majority(const uint8_t *k, unsigned disks)
{
    return k[QUORUM] == QUORUM_ANY ? disks != 0 : 2 * bits_count(disks) > k[D];
}

#endif
