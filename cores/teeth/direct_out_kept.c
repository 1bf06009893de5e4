/* reject: direct-out */

#include "probe.h"

typedef struct Context {
    CmcOut *out;
} Context;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Context context = {out};
    cmc_arm(context.out, 1);
    (void)s;
    (void)node;
    (void)event;
}
