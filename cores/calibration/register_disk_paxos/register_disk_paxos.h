/* The constants and the state of register Disk Paxos. What a configuration does not use is zero. */

#ifndef REGISTER_DISK_PAXOS_H
#define REGISTER_DISK_PAXOS_H

#include "../bits.h"

/* Settings: processes, ballots, values, who owns which ballots, whether LowBal is a constraint. */
enum { N, B, V, BALS, LOW_BAL };
enum { BALS_MOD, BALS_ALL, BALS_PARITY, BALS_MOD_TOP };
enum { L1, L2, L3, DONE };
enum { MAX_N = 4, MAX_B = 14, MAX_V = 15, WORDS = 8 };

/* (mbal, bal, inp), four bits each. Ballot b is written as b + 1, so that 0 is "no ballot" and is
 * below every ballot; inp 0 is "no input". */
typedef uint16_t Block;

/* A set of processes, with this bit: without it, toRead is undefined. */
enum { DEFINED = 0x80 };

typedef struct State {
    /* For each process a set of blocks, blocks_read_words() long. */
    uint64_t blocksRead[WORDS];
    Block rs[MAX_N];
    Block dblock[MAX_N];
    uint8_t pc[MAX_N];
    uint8_t toRead[MAX_N];
    uint8_t phase[MAX_N];
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

/* How many blocks there are. */
static inline unsigned block_count(const uint8_t *k)
{
    return (k[B] + 1u) * (k[B] + 1u) * (k[V] + 1u);
}

static inline unsigned blocks_read_words(const uint8_t *k)
{
    return bits_words(block_count(k));
}

/* The place of a block in a set of blocks, and back. */
static inline unsigned block_index(const uint8_t *k, Block block)
{
    return (mbal(block) * (k[B] + 1u) + bal(block)) * (k[V] + 1u) + inp(block);
}

static inline Block block_at(const uint8_t *k, unsigned index)
{
    unsigned ballots = index / (k[V] + 1u);
    return make_block(ballots / (k[B] + 1u), ballots % (k[B] + 1u), index % (k[V] + 1u));
}

/* Whether process p, counted from 0, owns the ballot that is written as `written`. */
static inline bool owns(const uint8_t *k, unsigned p, unsigned written)
{
    unsigned b = written - 1;
    switch (k[BALS]) {
    case BALS_ALL:
        return true;
    case BALS_PARITY:
        return b % 2 == (p + 1) % 2;
    case BALS_MOD_TOP:
        return b % k[N] == p || b + 1 == k[B];
    default:
        return b % k[N] == p;
    }
}

/* The smallest ballot of p above `ballot`, or 0: with ballot 0, min Bals(p). */
static inline unsigned next_ballot(const uint8_t *k, unsigned p, unsigned ballot)
{
    for (unsigned b = ballot + 1; b <= k[B]; b++)
        if (owns(k, p, b))
            return b;
    return 0;
}

#endif
