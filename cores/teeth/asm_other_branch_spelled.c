/* reject: asm */

#include "probe.h"

#ifdef NEVER
static inline void pause_here(void) { __asm__("pause"); }
#endif

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0]++;
    (void)node;
    (void)out;
    (void)event;
}
