/* reject: direct-out */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    CmcEffect *e = out->o;
    e->id = 3;
    (void)s;
    (void)node;
    (void)event;
}
