/* The constants and the state of Paxos. */

#ifndef PAXOS_H
#define PAXOS_H

#include <stdbool.h>
#include <stdint.h>

#include "../bits.h"

/* Settings: acceptors, values and ballots. */
enum { ACCEPTORS, VALUES, BALLOTS };
enum { MAX_ACCEPTORS = 5, MAX_VALUES = 7, MAX_BALLOTS = 7, WORDS = 4 };

/* Actions: those before PHASE_1B are of no acceptor. */
enum { PHASE_1A, PHASE_2A, PHASE_1B, PHASE_2B };

/* Ballot b is written as b + 1, and value v, counted from 0, as v + 1; 0 is -1 and "none". */
typedef struct State {
    /* The messages that were ever sent, one bit for each; see msg1a() and what follows. */
    uint64_t msgs[WORDS];
    uint8_t maxBal[MAX_ACCEPTORS];
    uint8_t maxVBal[MAX_ACCEPTORS];
    uint8_t maxVal[MAX_ACCEPTORS];
} State;

/* The bits of messages: ballots are written ones, from 1; values too. */
static inline unsigned msg1a(const uint8_t *k, unsigned bal)
{
    (void)k;
    return bal - 1;
}

static inline unsigned msg2a(const uint8_t *k, unsigned bal, unsigned val)
{
    return k[BALLOTS] + (bal - 1) * k[VALUES] + val - 1;
}

static inline unsigned msg2b(const uint8_t *k, unsigned a, unsigned bal, unsigned val)
{
    return k[BALLOTS] + (a + 1) * k[BALLOTS] * k[VALUES] + (bal - 1) * k[VALUES] + val - 1;
}

/* mbal and mval may be 0. */
static inline unsigned msg1b(const uint8_t *k, unsigned a, unsigned bal, unsigned mbal,
                             unsigned mval)
{
    unsigned first = k[BALLOTS] + (k[ACCEPTORS] + 1u) * k[BALLOTS] * k[VALUES];
    unsigned ballots = (a * k[BALLOTS] + bal - 1) * (k[BALLOTS] + 1u) + mbal;
    return first + ballots * (k[VALUES] + 1u) + mval;
}

static inline bool is_quorum(const uint8_t *k, unsigned acceptors)
{
    return bits_count(acceptors) == k[ACCEPTORS] / 2u + 1;
}

#endif
