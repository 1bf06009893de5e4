/* reject: const */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t *data = event->data;
    data[0] = 0;
    (void)s;
    (void)node;
    (void)out;
}
