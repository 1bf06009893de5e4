/* The constants and the state of Prisoners. */

#ifndef PRISONERS_H
#define PRISONERS_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: prisoners; the first one counts. */
enum { PRISONERS };
enum { COUNTER = 0, MAX_PRISONERS = 12 };

typedef struct State {
    uint8_t switchAUp;
    uint8_t switchBUp;
    /* The counter's own stays 0. */
    uint8_t timesSwitched[MAX_PRISONERS];
    uint8_t count;
} State;

#endif
