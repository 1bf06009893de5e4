/* reject: direct-out */

#include "cmc_core.h"

#include "probe.h"

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    cmc_forget(out);
    (void)node;
    (void)state;
    (void)event;
}
