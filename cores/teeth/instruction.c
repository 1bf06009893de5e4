/* reject: asm
 * object: instruction */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    asm("mfence");
    (void)node;
    (void)out;
    (void)event;
}
