/* The constants and the state of PaxosCommit. */

#ifndef PAXOS_COMMIT_H
#define PAXOS_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../calibration/bits.h"

/* Settings: resource managers, acceptors and ballots. Majorities are the smallest ones. */
enum { RM, ACCEPTORS, BALLOTS };
enum { MAX_RM = 4, MAX_ACCEPTORS = 5, MAX_BALLOTS = 4, WORDS = 4 };
enum { WORKING, PREPARED, COMMITTED, ABORTED };
/* Values of an instance of Paxos. */
enum { NONE, VAL_PREPARED, VAL_ABORTED, VALS };

/* Actions. */
enum {
    RM_PREPARE,
    RM_CHOOSE_TO_ABORT,
    RM_RCV_COMMIT_MSG,
    RM_RCV_ABORT_MSG,
    PHASE_1A,
    PHASE_2A,
    DECIDE_COMMIT,
    DECIDE_ABORT,
    PHASE_1B,
    PHASE_2B,
};

/* Ballot b is written as b + 1 where -1, which is 0, is possible: in bal. */
typedef struct Acceptor {
    uint8_t mbal;
    uint8_t bal;
    uint8_t val;
} Acceptor;

typedef struct State {
    /* The messages that were ever sent, one bit for each; see phase1a() and what follows. */
    uint64_t msgs[WORDS];
    Acceptor aState[MAX_RM][MAX_ACCEPTORS];
    uint8_t rmState[MAX_RM];
} State;

/* The bits of messages: commit and abort are the first two. */
enum { COMMIT, ABORT, FIRST };

static inline unsigned phase1a(const uint8_t *k, unsigned ins, unsigned bal)
{
    return FIRST + ins * k[BALLOTS] + bal;
}

static inline unsigned phase2a(const uint8_t *k, unsigned ins, unsigned bal, unsigned val)
{
    return FIRST + (unsigned)k[RM] * k[BALLOTS] + (ins * k[BALLOTS] + bal) * 2 + val - 1;
}

static inline unsigned phase2b(const uint8_t *k, unsigned ins, unsigned acc, unsigned bal,
                               unsigned val)
{
    unsigned first = FIRST + 3u * k[RM] * k[BALLOTS];
    return first + ((ins * k[ACCEPTORS] + acc) * k[BALLOTS] + bal) * 2 + val - 1;
}

static inline unsigned phase1b(const uint8_t *k, unsigned ins, unsigned acc, unsigned mbal,
                               Acceptor vote)
{
    unsigned first = FIRST + 3u * k[RM] * k[BALLOTS] + 2u * k[RM] * k[ACCEPTORS] * k[BALLOTS];
    unsigned ballots = (ins * k[ACCEPTORS] + acc) * k[BALLOTS] + mbal;
    return first + (ballots * (k[BALLOTS] + 1u) + vote.bal) * VALS + vote.val;
}

static inline bool is_majority(const uint8_t *k, unsigned acceptors)
{
    return bits_count(acceptors) == k[ACCEPTORS] / 2u + 1;
}

#endif
