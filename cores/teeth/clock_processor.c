/* reject: asm
 * object: clock */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t aux, low, high;
    asm("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    s->words[0] = low + aux + high;
    (void)node;
    (void)out;
    (void)event;
}
