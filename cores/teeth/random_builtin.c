/* reject: reserved-name
 * object: random */

#include "probe.h"

__attribute__((target("rdrnd"))) static uint64_t chance(void)
{
    unsigned long long n = 0;
    __builtin_ia32_rdrand64_step(&n);
    return n;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = chance();
    (void)node;
    (void)out;
    (void)event;
}
