/* reject: indirect-call
 * object: indirect-call */

#include "probe.h"

static uint64_t one(uint64_t n) { return n + 1; }
static uint64_t two(uint64_t n) { return n * 3; }
static uint64_t (*const table[])(uint64_t) = {one, two};

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->words[0] = table[event->id & 1](s->words[0]);
    (void)node;
    (void)out;
}
