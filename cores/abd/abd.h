/* State and messages of the ABD register, for the core and its model. Every field is a byte, so
 * that there is no padding and one layout on every machine. */

#ifndef ABD_H
#define ABD_H

#include <stdint.h>

enum { WRITER = 0 };

/* A value of the register and the number of the write that it comes from; 0 before the first. */
typedef struct Version {
    uint8_t timestamp, value;
} Version;

typedef enum Phase {
    IDLE = 0,
    QUERYING = 1, /* A read collects versions. */
    UPDATING = 2, /* A read or a write spreads a version. */
} Phase;

typedef struct Abd {
    /* The replica's. */
    Version stored;
    /* The operation's: a Phase, the best version so far, who has answered in this round, as bits,
     * and requests that wait for their turn. Rounds are counted, so that a late answer is known as
     * one. */
    uint8_t phase;
    Version best;
    uint8_t answered, round, waiting;
    /* Which of this node's requests it is, from 0; a crash does not count them anew. */
    uint8_t request;
} Abd;

_Static_assert(sizeof(Abd) == 9, "no padding");

typedef enum MessageKind {
    QUERY = 1,
    VERSION = 2,
    UPDATE = 3,
    UPDATED = 4,
} MessageKind;

typedef struct Message {
    /* A MessageKind, and the round of the node that asks. */
    uint8_t kind, round;
    /* VERSION and UPDATE. */
    Version version;
} Message;

/* An entry of the reply log: a request begins or ends. */
typedef enum Moment {
    INVOKED = 1,
    RETURNED = 2,
} Moment;

typedef struct Report {
    /* A Moment, the request, and the value that is written or was read; 0 when a read begins. */
    uint8_t moment, request, value;
} Report;

#endif
