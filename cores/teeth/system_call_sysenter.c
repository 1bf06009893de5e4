/* reject: asm
 * object: system-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    asm("sysenter");
    (void)node;
    (void)out;
    (void)event;
}
