/* reject: export
 * object: export */

#include "probe.h"

uint64_t twice(uint64_t n) { return 2 * n; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = twice(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
