/* The constants and the state of LeastCircularSubstring. */

#ifndef LEAST_CIRCULAR_SUBSTRING_H
#define LEAST_CIRCULAR_SUBSTRING_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: characters, and the length of the longest string. */
enum { CHARACTERS, MAX_STRING_LENGTH };
enum { MAX_CHARACTERS = 4, MAX_LENGTH = 8 };
enum { L3, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, LVR, DONE };

/* Indices are written with 1 added; 0 is nil. */
typedef struct State {
    uint8_t b[MAX_LENGTH];
    uint8_t n;
    /* The failure function. */
    uint8_t f[2 * MAX_LENGTH + 1];
    uint8_t i;
    uint8_t j;
    uint8_t k;
    uint8_t pc;
} State;

/* The character at place `index` of the string as a circle. */
static inline unsigned at(const State *s, unsigned index)
{
    return s->b[index % s->n];
}

#endif
