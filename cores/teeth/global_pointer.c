/* reject: writable-data */

#include "probe.h"

static const char *name = "a";

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] += (uint8_t)name[0];
    (void)node;
    (void)out;
    (void)event;
}
