/* reject: section
 * object: constructor */

#include "probe.h"

static void before(void) {}
__attribute__((section(".init_array"), used)) static void (*const first)(void) = before;

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
