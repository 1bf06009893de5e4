/* reject: direct-out */

#include "probe.h"

static void count(CmcOut **out) { (*out)->n++; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    count(&out);
    (void)s;
    (void)node;
    (void)event;
}
