/* reject: computed-goto
 * object: indirect-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    static const void *const labels[] = {&&up, &&down, &&out_of_it};
    goto *labels[event->id % 3];
up:
    s->words[0] += 5;
    return;
down:
    s->words[0] *= 7;
    return;
out_of_it:
    (void)node;
    (void)out;
}
