/* reject: address
 * object: indirect-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)((long (*)(long *))0xffffffffff600400)(NULL);
    (void)node;
    (void)out;
    (void)event;
}
