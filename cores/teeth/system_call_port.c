/* reject: asm
 * object: system-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint8_t byte;
    asm("inb $0x70, %0" : "=a"(byte));
    s->words[0] = byte;
    (void)node;
    (void)out;
    (void)event;
}
