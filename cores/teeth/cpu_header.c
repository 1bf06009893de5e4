/* reject: header
 * object: cpu-identification */

#include "probe.h"

#include <cpuid.h>

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    unsigned int a, b, c, d;
    __cpuid(0, a, b, c, d);
    s->words[0] = a + b + c + d;
    (void)node;
    (void)out;
    (void)event;
}
