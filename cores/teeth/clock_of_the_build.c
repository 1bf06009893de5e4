/* reject: clock */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint8_t)__TIME__[7];
    (void)node;
    (void)out;
    (void)event;
}
