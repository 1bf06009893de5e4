/* reject: address */

#include "probe.h"

typedef union Both {
    const void *pointer;
    uint64_t number;
} Both;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    Both both = {.pointer = s};
    s->words[0] = both.number;
    (void)node;
    (void)out;
    (void)event;
}
