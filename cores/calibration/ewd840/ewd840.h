/* The constants and the state of EWD840. */

#ifndef EWD840_H
#define EWD840_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: nodes. */
enum { N };
enum { MAX_N = 8 };

typedef struct State {
    /* Sets of nodes: those that are active, and those whose color is black. */
    uint8_t active;
    uint8_t black;
    uint8_t tpos;
    uint8_t token_black;
} State;

#endif
