/* reject: not-a-function */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    const void *where = s;
    memcpy(&s->total, &where, sizeof where);
    (void)node;
    (void)event;
    (void)out;
}
