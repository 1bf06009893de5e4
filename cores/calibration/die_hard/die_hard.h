/* The constants and the state of DieHard. */

#ifndef DIE_HARD_H
#define DIE_HARD_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: what the jugs hold, and what to measure. */
enum { BIG, SMALL, GOAL };

typedef struct State {
    uint8_t big;
    uint8_t small;
} State;

#endif
