/* reject: ifunc
 * object: ifunc */

#include "probe.h"

static uint64_t twice(uint64_t n) { return 2 * n; }
static uint64_t (*resolve(void))(uint64_t) { return twice; }
__attribute__((ifunc("resolve"))) uint64_t chosen(uint64_t n);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = chosen(s->words[0]);
    (void)node;
    (void)out;
    (void)event;
}
