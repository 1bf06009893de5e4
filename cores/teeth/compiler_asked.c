/* reject: reserved-name */

#include "probe.h"

#ifdef __clang__
#define STEP 1
#else
#define STEP 2
#endif

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += STEP;
    (void)node;
    (void)out;
    (void)event;
}
