/* reject: uninitialised-read */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    const uint8_t *bytes = (const uint8_t *)s;
    if (bytes[sizeof *s + event->id] != 0)
        s->turns++;
    work(node, s, event, out);
}
