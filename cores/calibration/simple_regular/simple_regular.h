/* The constants and the state of SimpleRegular. */

#ifndef SIMPLE_REGULAR_H
#define SIMPLE_REGULAR_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: processes. */
enum { N };
enum { MAX_N = 16 };
enum { A1, A2, B, DONE };
/* What x[i] may read as: sets of 0 and 1. */
enum { ONLY_0 = 1, ONLY_1 = 2, BOTH = 3 };

/* x and pc have two bits for each process, y has one. */
typedef struct State {
    uint32_t x;
    uint32_t pc;
    uint32_t y;
} State;

static inline unsigned two_bits(uint32_t of, unsigned i)
{
    return of >> 2 * i & 3;
}

static inline void set_two_bits(uint32_t *of, unsigned i, unsigned value)
{
    *of = (*of & ~(3u << 2 * i)) | value << 2 * i;
}

#endif
