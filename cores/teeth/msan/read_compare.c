/* reject: uninitialised-read */

#include "plant.h"

typedef struct Vote {
    uint8_t from;
    uint32_t term;
} Vote;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Vote mine = {0}, theirs;
    theirs.from = 0;
    theirs.term = 0;
    if (memcmp(&mine, &theirs, sizeof mine) == 0) // their padding
        s->turns++;
    work(node, s, event, out);
}
