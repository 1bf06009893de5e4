/* reject: directive */

#include "probe.h"

#line 20 "include/cmc_core.h"
static void clear(CmcOut *out) { out->n = 0; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    clear(out);
    (void)s;
    (void)node;
    (void)event;
}
