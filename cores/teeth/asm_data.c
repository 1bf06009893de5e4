/* reject: asm
 * object: writable-data */

#include "probe.h"

asm(".data\n.quad 1\n.text");

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
