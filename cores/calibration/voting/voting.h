/* The constants and the state of Voting. */

#ifndef VOTING_H
#define VOTING_H

#include <stdbool.h>
#include <stdint.h>

#include "../bits.h"

/* Settings: acceptors, values and ballots. */
enum { ACCEPTORS, VALUES, BALLOTS };
enum { MAX_ACCEPTORS = 5, MAX_VALUES = 4, MAX_BALLOTS = 4 };

typedef struct State {
    /* Votes (b, v) as bits; see vote(). */
    uint16_t votes[MAX_ACCEPTORS];
    /* Ballot b is written as b + 1, and 0 is -1. */
    uint8_t maxBal[MAX_ACCEPTORS];
} State;

static inline unsigned vote(unsigned b, unsigned v)
{
    return 1u << (b * MAX_VALUES + v);
}

static inline bool voted_for(const State *s, unsigned a, unsigned b, unsigned v)
{
    return (s->votes[a] & vote(b, v)) != 0;
}

/* The votes at one ballot, as bits of values. */
static inline unsigned votes_at(const State *s, unsigned a, unsigned b)
{
    return s->votes[a] >> b * MAX_VALUES & ((1u << MAX_VALUES) - 1);
}

static inline bool is_quorum(const uint8_t *k, unsigned acceptors)
{
    return bits_count(acceptors) == k[ACCEPTORS] / 2u + 1;
}

#endif
