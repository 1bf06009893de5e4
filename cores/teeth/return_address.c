/* reject: reserved-name */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = __builtin_return_address(0) > (void *)s;
    (void)node;
    (void)out;
    (void)event;
}
