/* reject: redefine */

#include "probe.h"

#undef NULL
#define NULL 1

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = NULL;
    (void)node;
    (void)out;
    (void)event;
}
