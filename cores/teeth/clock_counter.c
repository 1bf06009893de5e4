/* reject: asm
 * object: clock */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t low, high;
    asm("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
    s->words[0] = low + high;
    (void)node;
    (void)out;
    (void)event;
}
