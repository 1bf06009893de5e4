/* The constants and the state of Simple. */

#ifndef SIMPLE_H
#define SIMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: processes. */
enum { N };
enum { MAX_N = 16 };

typedef struct State {
    /* Sets of processes: those with x[i] = 1, with y[i] = 1, that are at b or Done, that are Done.
     */
    uint16_t x;
    uint16_t y;
    uint16_t past_a;
    uint16_t done;
} State;

/* All processes. */
static inline unsigned everyone(const uint8_t *k)
{
    return (1u << k[N]) - 1;
}

#endif
