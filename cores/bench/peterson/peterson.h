/* The state of Peterson's lock. A process is one byte: what it does, and its level, which is the
 * algorithm's shared variable pos[i]. Its private variables are not kept where they follow from
 * that, so that equal states of the algorithm are equal bytes:
 *
 * - j, the level it tries for, is the level it has in Q2 and Q3, one more in WAIT, the number of
 *   processes in CRITICAL, and 0 in IDLE.
 * - k, whom it looks at, is 0 everywhere but in Q3, and part of what it does there. */

#ifndef PETERSON_H
#define PETERSON_H

#include <stdint.h>

/* Settings: processes. */
enum { N };
enum { MAX_N = 8 };

/* In Q3 it looks at process `doing - Q3`; at N, at none any more. */
enum { IDLE, WAIT, Q2, CRITICAL, Q3 };

typedef struct Peterson {
    /* level << 4 | what it does. */
    uint8_t process[MAX_N];
    /* Who came last to a level from 1, at `level - 1`. */
    uint8_t last[MAX_N];
} Peterson;

_Static_assert(sizeof(Peterson) == 16, "no padding");

static inline unsigned doing(const Peterson *s, unsigned i)
{
    return s->process[i] & 15;
}

static inline unsigned level(const Peterson *s, unsigned i)
{
    return s->process[i] >> 4;
}

#endif
