/* Steps that take as long as one likes, for cores of few worlds and many steps: to search them takes
 * what the steps take, what the engine adds, and next to nothing for the set of worlds seen. */

#ifndef BUSY_H
#define BUSY_H

#include <stdint.h>

/* Settings. */
enum { SPINS };

typedef struct Busy {
    uint16_t at;
} Busy;

/* Go from one of `worlds` worlds to another by the number of a choice out of `choices`, which reaches all
 * of them, after 16 multiplications for each of `spins`, one behind the other. Their result decides
 * too, so that no compiler leaves them out. */
static inline void spin(Busy *s, unsigned worlds, unsigned spins, unsigned choice, unsigned choices)
{
    uint64_t x = s->at;
    for (unsigned i = 0; i < 16 * spins; i++)
        x = x * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    s->at = (uint16_t)((s->at * choices + choice + (x == 0)) % worlds);
}

#endif
