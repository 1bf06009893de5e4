/* What the core and its model share: the state and the settings. */

#ifndef DEKKER_H
#define DEKKER_H

#include <cmc.h>

enum { PROCESSES = 2 };

/* Settings. */
enum { LEAD };

/* Where a process is. It is slow to set out once, and then asks again and again. */
enum { SETS_OUT, ASKS, LOOKS, WAITS, IS_IN };

typedef struct State {
    /* Steps, in eights, that process 0 needs to set out. */
    uint16_t lead;
    uint8_t at[PROCESSES];
    /* Whether a process wants to go in. */
    uint8_t wants[PROCESSES];
    /* Who may insist. */
    uint8_t turn;
    /* Whether a process has ever been in. */
    uint8_t been_in[PROCESSES];
} State;

_Static_assert(sizeof(State) == 10, "no padding that could differ but the last byte");

#endif
