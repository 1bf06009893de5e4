/* reject: asm
 * object: random */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    asm("rdseed %0" : "=r"(s->words[0]));
    (void)node;
    (void)out;
    (void)event;
}
