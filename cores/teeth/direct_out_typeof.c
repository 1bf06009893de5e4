/* reject: typeof */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    typeof(out->n) *n = (void *)s;
    *n = 1;
    (void)node;
    (void)event;
}
