/* reject: section
 * object: section */

#include "probe.h"

__attribute__((section(".elsewhere"), noinline)) static uint64_t elsewhere(uint64_t n) { return n * n; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = elsewhere(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
