/* The state of TwoPhase. Sets of resource managers are bits. Kept is only what does not follow
 * from the rest: the message Commit (Abort) has been sent when tm is TM_COMMITTED (TM_ABORTED); a
 * resource manager that has sent Prepared and has neither committed nor aborted is prepared, and
 * one that has done nothing of all that is working. So equal states of the specification are equal
 * bytes. */

#ifndef TWO_PHASE_H
#define TWO_PHASE_H

#include <stdint.h>

/* Settings. */
enum { RMS };
enum { MAX_RMS = 16 };

enum { TM_INIT, TM_COMMITTED, TM_ABORTED };

typedef struct TwoPhase {
    uint16_t committed, aborted;
    /* Who has sent Prepared, and of whom the transaction manager has heard it. */
    uint16_t sent, heard;
    uint16_t tm;
} TwoPhase;

_Static_assert(sizeof(TwoPhase) == 10, "no padding");

#endif
