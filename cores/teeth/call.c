/* reject: outside
 * object: outside */

#include "probe.h"

int puts(const char *text);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)puts("step") + event->id;
    (void)node;
    (void)out;
}
