/* reject: outside
 * object: outside */

#include "probe.h"

int memfd_create(const char *name, unsigned int flags);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = (uint64_t)memfd_create("", 0);
    (void)node;
    (void)out;
    (void)event;
}
