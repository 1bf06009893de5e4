/* The constants and the state of SimpleAllocator. */

#ifndef SIMPLE_ALLOCATOR_H
#define SIMPLE_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: clients and resources. */
enum { CLIENTS, RESOURCES };
enum { MAX_CLIENTS = 8, MAX_RESOURCES = 6 };

typedef struct State {
    /* Sets of resources. */
    uint8_t unsat[MAX_CLIENTS];
    uint8_t alloc[MAX_CLIENTS];
} State;

#endif
