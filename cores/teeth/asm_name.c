/* reject: asm
 * object: outside */

#include "probe.h"

int mine(void) asm("getpid");

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)mine();
    (void)node;
    (void)out;
    (void)event;
}
