/* reject: writable-data */

#include "probe.h"

static uint64_t limit = 7;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += limit;
    (void)node;
    (void)out;
    (void)event;
}
