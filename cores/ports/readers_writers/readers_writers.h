/* The constants and the state of ReadersWriters. */

#ifndef READERS_WRITERS_H
#define READERS_WRITERS_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: actors. */
enum { NUM_ACTORS };
enum { MAX_ACTORS = 4 };

typedef struct State {
    /* Requests, the oldest first: 2 * actor, and 1 more for a write. */
    uint8_t waiting[2 * MAX_ACTORS];
    uint8_t waiting_len;
    /* Sets of actors. */
    uint8_t readers;
    uint8_t writers;
} State;

static inline bool is_waiting(const State *s, unsigned request)
{
    for (unsigned i = 0; i < s->waiting_len; i++)
        if (s->waiting[i] == request)
            return true;
    return false;
}

#endif
