/* reject: uninitialised-effect */

#include "plant.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
    if (out->n < CMC_MAX_EFFECTS)
        out->o[out->n++].kind = CMC_FX_CANCEL;
}
