/* reject: asm
 * object: floating-point */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t mode;
    asm("stmxcsr %0" : "=m"(mode));
    s->words[0] = mode;
    (void)node;
    (void)out;
    (void)event;
}
