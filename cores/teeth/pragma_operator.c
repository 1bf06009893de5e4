/* reject: reserved-name */

#include "probe.h"

_Pragma("GCC system_header")

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
