/* reject: const */

#include "actions.h"

static size_t list(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    ((State *)state)->turns++;
    actions[0] = actions[1] = (CmcEvent){.id = 1};
    (void)node;
    (void)state;
    (void)cap;
    return 2;
}
