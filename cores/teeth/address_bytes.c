/* reject: address */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    memcpy(&s->words[0], &s, sizeof s);
    (void)node;
    (void)out;
    (void)event;
}
