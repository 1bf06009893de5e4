/* The constants and the state of Quicksort. */

#ifndef QUICKSORT_H
#define QUICKSORT_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: values, and the length of the longest sequence. */
enum { VALUES, MAX_SEQ_LEN };
enum { MAX_VALUES = 8, MAX_LEN = 6 };
enum { A, DONE };

typedef struct State {
    /* The intervals that are left, first and last place included; see interval(). */
    uint64_t U;
    uint8_t seq[MAX_LEN];
    uint8_t seq0[MAX_LEN];
    uint8_t len;
    uint8_t pc;
} State;

static inline unsigned interval(unsigned first, unsigned last)
{
    return first * 8 + last;
}

static inline bool is_left(const State *s, unsigned first, unsigned last)
{
    return s->U >> interval(first, last) & 1;
}

#endif
