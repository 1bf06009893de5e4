/* reject: indirect-call
 * object: indirect-call */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    void (*f)(void) = *(void (**)(void))s;
    f();
    (void)node;
    (void)out;
    (void)event;
}
