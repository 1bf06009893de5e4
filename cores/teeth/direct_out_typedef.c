/* reject: direct-out */

#include "probe.h"

typedef CmcOut Effects;
static void count(Effects *effects) { effects->n++; }

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    count(out);
    (void)s;
    (void)node;
    (void)event;
}
