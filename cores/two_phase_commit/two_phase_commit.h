/* State and messages of two-phase commit, for the core and its model. Every field is a byte, so
 * that there is no padding and one layout on every machine. */

#ifndef TWO_PHASE_COMMIT_H
#define TWO_PHASE_COMMIT_H

#include <stdint.h>

enum { COORDINATOR = 0 };

/* What a node's log says of the transaction; also the one byte of a record. */
typedef enum Entry {
    NOTHING = 0,
    PREPARED = 1, /* Participants only: bound to do what the coordinator decides. */
    COMMITTED = 2,
    ABORTED = 3,
} Entry;

/* The one byte of a message. A participant sends what its log says: its vote, and in doubt its
 * question. The coordinator sends PREPARE, and what its log says. */
enum { PREPARE = 4 };

/* Which byte of the settings is which. */
enum { QUESTIONS };

typedef struct TwoPhaseCommit {
    /* Durable: an Entry. */
    uint8_t log;

    /* Volatile: the Entry on its way to the disk. */
    uint8_t writing;
    /* The coordinator's: whether it counts votes, and the participants that voted yes, as bits. */
    uint8_t voting, votes;
    /* A participant's: how often it has asked in doubt. */
    uint8_t asked;
} TwoPhaseCommit;

enum { DURABLE_SIZE = 1 };

_Static_assert(sizeof(TwoPhaseCommit) == 5, "no padding");

#endif
