/* The constants and the state of AlternatingBit. */

#ifndef ALTERNATING_BIT_H
#define ALTERNATING_BIT_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: values that can be sent, and the lengths of channels that are looked at. */
enum { DATA, MSG_Q_LEN, ACK_Q_LEN };
/* A channel may be longer by one than what is looked at. */
enum { MAX_DATA = 8, MAX_LEN = 7, ROOM = MAX_LEN + 1 };

typedef struct State {
    /* Values d with their bit b, as 2 * d + b. */
    uint8_t msgQ[ROOM];
    uint8_t ackQ[ROOM];
    uint8_t msgQ_len;
    uint8_t ackQ_len;
    uint8_t sBit;
    uint8_t sAck;
    uint8_t rBit;
    uint8_t sent;
    uint8_t rcvd;
} State;

#endif
