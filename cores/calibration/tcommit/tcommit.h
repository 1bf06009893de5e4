/* The constants and the state of TCommit. */

#ifndef TCOMMIT_H
#define TCOMMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: resource managers. */
enum { RM };
enum { MAX_RM = 8 };
enum { WORKING, PREPARED, COMMITTED, ABORTED };

typedef struct State {
    uint8_t rmState[MAX_RM];
} State;

#endif
