/* The constants and the state of LamportMutex. */

#ifndef LAMPORT_MUTEX_H
#define LAMPORT_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: processes, and the clock up to which states are looked at. */
enum { N, MAX_CLOCK };
enum { MAX_N = 4, MAX_MAX_CLOCK = 12 };
/* Messages: a request with clock c is REQUEST + c. */
enum { NONE, ACK, REL, REQUEST };

/* A channel: up to four messages of four bits, the oldest lowest. */
typedef uint16_t Channel;

typedef struct State {
    /* From the first to the second. */
    Channel network[MAX_N][MAX_N];
    uint8_t req[MAX_N][MAX_N];
    uint8_t clock[MAX_N];
    /* Sets of processes. */
    uint8_t ack[MAX_N];
    uint8_t crit;
} State;

static inline unsigned head(Channel channel)
{
    return channel & 15;
}

static inline unsigned length(Channel channel)
{
    unsigned len = 0;
    for (; channel; channel >>= 4)
        len++;
    return len;
}

#endif
