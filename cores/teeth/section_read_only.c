/* reject: section */

#include "probe.h"

__attribute__((section(".data.rel.ro.counter"))) static uint64_t counter = 1;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = counter++;
    (void)node;
    (void)out;
    (void)event;
}
