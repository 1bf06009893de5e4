/* reject: asm
 * object: clock */

#include "probe.h"

#define GLUE(a, b) a##b

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t low;
    GLUE(__as, m__)("rdtsc" : "=a"(low) : : "edx");
    s->words[0] = low;
    (void)node;
    (void)out;
    (void)event;
}
