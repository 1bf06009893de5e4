/* The constants and the state of TwoPhase. */

#ifndef TWO_PHASE_H
#define TWO_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: resource managers. */
enum { RM };
enum { MAX_RM = 8 };
enum { INIT = 0, WORKING = 0, PREPARED, COMMITTED, ABORTED };

typedef struct State {
    uint8_t rmState[MAX_RM];
    uint8_t tmState;
    /* Resource managers. */
    uint8_t tmPrepared;
    /* The messages: whose Prepared was sent, and whether Commit and Abort were. */
    uint8_t prepared;
    uint8_t commit;
    uint8_t abort;
} State;

#endif
