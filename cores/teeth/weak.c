/* reject: weak
 * object: weak */

#include "probe.h"

__attribute__((weak, noinline)) uint64_t twice(uint64_t n) { return 2 * n; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = twice(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
