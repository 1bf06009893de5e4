/* The constants and the state of ChangRoberts. */

#ifndef CHANG_ROBERTS_H
#define CHANG_ROBERTS_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: nodes. */
enum { N };
enum { MAX_N = 8 };
enum { CAND, LOST, WON };
enum { N0, N1 };

typedef struct State {
    /* Sets of identifiers, counted from 0, as nodes are. */
    uint8_t msgs[MAX_N];
    uint8_t state[MAX_N];
    uint8_t pc[MAX_N];
    /* Nodes. */
    uint8_t initiator;
} State;

#endif
