/* The constants and the state of TokenRing. */

#ifndef TOKEN_RING_H
#define TOKEN_RING_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: nodes, and what counters are modulo. */
enum { N, M };
enum { MAX_N = 8, MAX_M = 15 };

typedef struct State {
    uint8_t c[MAX_N];
} State;

#endif
