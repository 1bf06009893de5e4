/* reject: types */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    uint32_t *words = s;
    words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
