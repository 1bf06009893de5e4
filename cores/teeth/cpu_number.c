/* reject: asm
 * object: cpu-identification */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    asm("rdpid %0" : "=r"(s->words[0]));
    (void)node;
    (void)out;
    (void)event;
}
