/* reject: outside
 * object: outside */

#include "probe.h"

extern char **environ;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += environ[0][0];
    (void)node;
    (void)out;
    (void)event;
}
