/* reject: constructor
 * object: constructor */

#include "probe.h"

void tick(void);

__attribute__((constructor)) static void before(void)
{
    tick();
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
