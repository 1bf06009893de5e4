/* reject: asm
 * object: outside */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    asm("call 0xffffffffff600400");
    (void)node;
    (void)out;
    (void)event;
}
