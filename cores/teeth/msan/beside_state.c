/* reject: outside-state */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t *bytes = (uint8_t *)s;
    bytes[sizeof *s + 3] = 1;
    work(node, s, event, out);
}
