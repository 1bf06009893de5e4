/* reject: direct-out */

#include "probe.h"

static CmcOut *same(CmcOut *out) { return out; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    same(out)->n = 1;
    (void)s;
    (void)node;
    (void)event;
}
