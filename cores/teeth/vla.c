/* reject: vla */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t bytes[event->len + 1];
    bytes[event->len] = 1;
    s->words[0] = bytes[event->len];
    (void)node;
    (void)out;
}
