/* reject: alias */

#include "probe.h"

static uint64_t twice(uint64_t n) { return 2 * n; }
__attribute__((alias("twice"))) static uint64_t other(uint64_t n);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = other(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
