/* reject: reserved-name
 * object: segment */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = *(const uint64_t __seg_fs *)0;
    (void)node;
    (void)out;
    (void)event;
}
