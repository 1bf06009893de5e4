/* reject: thread-local
 * object: thread-local */

#include "probe.h"

static __thread uint64_t counter;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = counter++;
    (void)node;
    (void)out;
    (void)event;
}
