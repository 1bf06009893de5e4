/* reject: asm
 * object: clock */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t low;
    asm(".byte 0x0f, 0x31" : "=a"(low) : : "edx");
    s->words[0] = low;
    (void)node;
    (void)out;
    (void)event;
}
