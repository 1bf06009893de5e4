/* reject: outside
 * object: outside */

#include "probe.h"

int snprintf(char *text, size_t cap, const char *format, ...);

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    snprintf((char *)s->words, sizeof s->words, "%p", (void *)s);
    (void)node;
    (void)out;
    (void)event;
}
