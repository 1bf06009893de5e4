/* reject: header
 * object: outside */

#include "probe.h"

#include <stdlib.h>

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)rand();
    (void)node;
    (void)out;
    (void)event;
}
