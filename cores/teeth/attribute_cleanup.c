/* reject: attribute */

#include "probe.h"

static void clear(uint64_t *n) { *n = 0; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    __attribute__((cleanup(clear))) uint64_t n = event->id;
    s->words[0] = n;
    (void)node;
    (void)out;
}
