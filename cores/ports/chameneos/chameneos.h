/* The constants and the state of Chameneos. */

#ifndef CHAMENEOS_H
#define CHAMENEOS_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: meetings and creatures. */
enum { N, M };
enum { MAX_M = 7, COLORS = 3, FADED = COLORS };

typedef struct State {
    /* Of each creature the color, and how often it met another. */
    uint8_t color[MAX_M];
    uint8_t met[MAX_M];
    /* Who waits, counted from 1; 0: nobody. */
    uint8_t meetingPlace;
    uint8_t numMeetings;
} State;

#endif
