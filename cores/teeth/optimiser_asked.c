/* reject: reserved-name */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += __builtin_constant_p(s->words[1] * 0);
    (void)node;
    (void)out;
    (void)event;
}
