/* reject: direct-out */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    out->o[0].kind = CMC_FX_ARM;
    (void)s;
    (void)node;
    (void)event;
}
