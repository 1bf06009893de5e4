/* reject: direct-out */

#include "probe.h"

typedef union Both {
    CmcOut *out;
    uint32_t *words;
} Both;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Both both = {out};
    both.words[0] = 0;
    (void)s;
    (void)node;
    (void)event;
}
