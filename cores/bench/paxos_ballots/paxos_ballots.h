/* The state of Paxos. Sets of ballots are bits. The specification's acceptors keep the largest
 * ballot they took part in and their last vote, and its 1b messages carry the last vote of their
 * sender. None of that is kept here, because it follows from which messages were sent, and so
 * equal states of the specification are equal bytes:
 *
 * - maxBal[a] is the largest ballot for which a has sent 1b or 2b: each raises it to its own.
 * - (maxVBal[a], maxVal[a]) is the largest ballot for which a has sent 2b, since a never votes
 *   below maxBal[a]; with the value of the 2a of that ballot, of which there is at most one.
 * - The vote in the 1b of a for b is the largest ballot below b for which a has sent 2b: with that
 *   1b maxBal[a] became b, and a has not voted below b since. */

#ifndef PAXOS_BALLOTS_H
#define PAXOS_BALLOTS_H

#include <stdint.h>

/* Settings. */
enum { BALLOTS, VALUES };
enum { ACCEPTORS = 3, MAX_BALLOTS = 8, MAX_VALUES = 9 };

typedef struct PaxosBallots {
    /* For which ballots a message 1a, 1b or 2b was sent; of acceptors, each. */
    uint8_t sent_1a, sent_1b[ACCEPTORS], sent_2b[ACCEPTORS];
    /* For each value, for which ballots 2a was sent with it. */
    uint8_t sent_2a[MAX_VALUES];
} PaxosBallots;

_Static_assert(sizeof(PaxosBallots) == 16, "no padding");

#endif
