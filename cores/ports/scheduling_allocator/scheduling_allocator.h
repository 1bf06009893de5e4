/* The constants and the state of SchedulingAllocator. */

#ifndef SCHEDULING_ALLOCATOR_H
#define SCHEDULING_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: clients and resources. */
enum { CLIENTS, RESOURCES };
/* Actions. */
enum { REQUEST, ALLOCATE, RETURN, SCHEDULE };
enum { MAX_CLIENTS = 5, MAX_RESOURCES = 5 };

typedef struct State {
    /* Sets of resources. */
    uint8_t unsat[MAX_CLIENTS];
    uint8_t alloc[MAX_CLIENTS];
    /* Clients, the next to be served first. */
    uint8_t sched[MAX_CLIENTS];
    uint8_t sched_len;
} State;

static inline bool is_scheduled(const State *s, unsigned c)
{
    for (unsigned i = 0; i < s->sched_len; i++)
        if (s->sched[i] == c)
            return true;
    return false;
}

#endif
