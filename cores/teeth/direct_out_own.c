/* reject: direct-out */

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    CmcOut mine = {0};
    cmc_arm(&mine, 1);
    s->words[0] = sizeof mine;
    (void)node;
    (void)event;
    (void)out;
}
