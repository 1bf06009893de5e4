/* reject: header
 * object: outside */

#include "probe.h"

#include <setjmp.h>

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    jmp_buf back;
    s->words[0] = (uint64_t)setjmp(back);
    (void)node;
    (void)out;
    (void)event;
}
