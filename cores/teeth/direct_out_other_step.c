/* reject: address */

#include "probe.h"

typedef void Step(const CmcNode *, void *, const CmcEvent *, CmcOut *);
static void other(const CmcNode *node, void *state, const CmcEvent *event, uint32_t *words)
{
    words[0] = 0;
    (void)node;
    (void)state;
    (void)event;
}
static const Step *const steps[] = {(const Step *)other};

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += steps[0] != NULL;
    (void)node;
    (void)out;
    (void)event;
}
