/* reject: thread-local */

#include "probe.h"

static _Thread_local uint64_t counter;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = sizeof counter;
    (void)node;
    (void)out;
    (void)event;
}
