/* reject: writable-data
 * object: writable-data */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    static uint64_t counter;
    s->words[0] = counter++;
    (void)node;
    (void)out;
    (void)event;
}
