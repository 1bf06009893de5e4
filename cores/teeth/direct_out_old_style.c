/* reject: prototype */

#include "probe.h"

static void count(words) uint32_t *words; { words[0]++; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    count(out);
    (void)s;
    (void)node;
    (void)event;
}
