/* State and messages of single-decree Paxos, for the core and its model. Every field is a byte, so
 * that there is no padding and one layout on every machine. */

#ifndef PAXOS_H
#define PAXOS_H

#include <stdint.h>

/* What an acceptor must not forget: the highest ballot that it promised, and the proposal that
 * it accepted last. Ballots start at 1, values too; 0 is none. Also a record on its way to the
 * disk. */
typedef struct Vote {
    uint8_t promised, accepted, value;
} Vote;

typedef enum Phase {
    IDLE = 0,
    PREPARING = 1, /* It waits for promises. */
    PROPOSING = 2, /* It waits for acceptances. */
} Phase;

typedef struct Paxos {
    /* Durable: the acceptor's vote as the disk has it. */
    Vote disk;

    /* Volatile: the vote with all writes on their way. */
    Vote vote;
    /* The proposer's: a Phase, its ballot, who agreed in this phase, as bits. */
    uint8_t phase, ballot, agreed;
    /* The value to propose, and the highest ballot among the promises that had accepted one. */
    uint8_t value, reported;
} Paxos;

enum { DURABLE_SIZE = sizeof(Vote) };

_Static_assert(sizeof(Paxos) == 11, "no padding");

typedef enum MessageKind {
    PREPARE = 1,
    PROMISE = 2,
    ACCEPT = 3,
    ACCEPTED = 4,
} MessageKind;

typedef struct Message {
    /* A MessageKind, and the ballot that it is about. */
    uint8_t kind, ballot;
    /* PROMISE: the proposal accepted last. ACCEPT: the value, whose ballot is this one. */
    uint8_t accepted, value;
} Message;

/* The value that the client of a node asks for. */
static inline uint8_t wish(uint8_t node)
{
    return (uint8_t)(node + 1);
}

#endif
