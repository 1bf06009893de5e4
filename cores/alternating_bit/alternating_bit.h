/* State and messages of the alternating bit protocol, for the core and its model. Every field is a
 * byte, so that there is no padding and one layout on every machine. */

#ifndef ALTERNATING_BIT_H
#define ALTERNATING_BIT_H

#include <stdint.h>

enum { SENDER = 0, RECEIVER = 1 };

typedef struct AlternatingBit {
    /* The sender's: messages that its client gave it, messages acknowledged, and the bit of the one
     * that comes next or is under way. */
    uint8_t given, acknowledged, bit;
    /* The receiver's: the bit of the message that it has not seen yet. */
    uint8_t expected;
} AlternatingBit;

_Static_assert(sizeof(AlternatingBit) == 4, "no padding");

/* From sender to receiver. Messages are numbered from 0, and their number is all they say. */
typedef struct Frame {
    uint8_t bit, message;
} Frame;

/* From receiver to sender. */
typedef struct Ack {
    uint8_t bit;
} Ack;

#endif
