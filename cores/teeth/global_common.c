/* reject: writable-data
 * object: writable-data */

#include "probe.h"

__attribute__((common)) uint64_t counter;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = counter++;
    (void)node;
    (void)out;
    (void)event;
}
