/* reject: outside
 * object: outside */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = strlen((const char *)event->data);
    (void)node;
    (void)out;
}
