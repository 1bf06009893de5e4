/* reject: direct-out */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = out->n;
    (void)node;
    (void)event;
}
