/* The constants and the state of AsyncTerminationDetection. */

#ifndef ASYNC_TERMINATION_DETECTION_H
#define ASYNC_TERMINATION_DETECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: nodes, and how many messages to one node are looked at. */
enum { N, PENDING };
enum { MAX_N = 8 };

typedef struct State {
    uint8_t pending[MAX_N];
    /* Nodes. */
    uint8_t active;
    uint8_t terminationDetected;
} State;

static inline bool terminated(const uint8_t *k, const State *s)
{
    unsigned pending = 0;
    for (unsigned i = 0; i < k[N]; i++)
        pending |= s->pending[i];
    return s->active == 0 && pending == 0;
}

#endif
