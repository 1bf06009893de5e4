/* reject: alloca */

#include "probe.h"

void *alloca(size_t size);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t *bytes = alloca(event->len + 1u);
    bytes[event->len] = 1;
    s->words[0] = bytes[event->len];
    (void)node;
    (void)out;
}
