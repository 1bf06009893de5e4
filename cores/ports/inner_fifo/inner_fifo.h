/* The constants and the state of InnerFIFO. */

#ifndef INNER_FIFO_H
#define INNER_FIFO_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: messages, and the length up to which the buffer is looked at. */
enum { MESSAGES, Q_LEN };
enum { MAX_MESSAGES = 8, MAX_Q_LEN = 6, ROOM = MAX_Q_LEN + 1 };

/* A value is on its way while rdy differs from ack. */
typedef struct Channel {
    uint8_t val;
    uint8_t rdy;
    uint8_t ack;
} Channel;

typedef struct State {
    Channel in;
    Channel out;
    uint8_t q[ROOM];
    uint8_t q_len;
} State;

#endif
