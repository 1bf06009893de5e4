/* The state of HourClock. */

#ifndef HOUR_CLOCK_H
#define HOUR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct State {
    uint8_t hr;
} State;

#endif
