/* reject: asm
 * object: cpu-identification */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    asm("sgdt %0" : "=m"(s->words));
    (void)node;
    (void)out;
    (void)event;
}
