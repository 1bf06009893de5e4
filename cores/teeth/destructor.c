/* reject: destructor
 * object: destructor */

#include "probe.h"

void tick(void);

__attribute__((destructor)) static void after(void)
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
