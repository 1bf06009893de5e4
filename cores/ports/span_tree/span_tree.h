/* The constants and the state of SpanTree. */

#ifndef SPAN_TREE_H
#define SPAN_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: nodes, the first of which is the root, and the distance that nodes start with. */
enum { NODES, MAX_CARDINALITY };
enum { ROOT = 0, MAX_NODES = 6 };

typedef struct State {
    /* For each node the set of its neighbours. */
    uint8_t neighbours[MAX_NODES];
    uint8_t mom[MAX_NODES];
    uint8_t dist[MAX_NODES];
} State;

#endif
