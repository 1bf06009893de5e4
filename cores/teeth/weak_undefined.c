/* reject: weak
 * object: weak */

#include "probe.h"

__attribute__((weak)) void maybe(void);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += maybe != NULL;
    (void)node;
    (void)out;
    (void)event;
}
