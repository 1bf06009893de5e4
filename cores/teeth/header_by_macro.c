/* reject: header */

#include "probe.h"

#define WHICH "counting.h"
#include WHICH

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = counted();
    (void)node;
    (void)out;
    (void)event;
}
