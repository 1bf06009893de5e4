/* The state of Peterson. */

#ifndef PETERSON_H
#define PETERSON_H

#include <stdbool.h>
#include <stdint.h>

enum { N = 2 };
enum { A0, A1, A2, A3, CS, A4 };

typedef struct State {
    uint8_t pc[N];
    uint8_t c[N];
    /* A process, counted from 0, as everywhere. */
    uint8_t turn;
} State;

#endif
