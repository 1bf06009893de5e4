/* reject: uninitialised-action */

#include "actions.h"

static size_t list(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    actions[0] = (CmcEvent){.id = 1};
    (void)node;
    (void)state;
    (void)cap;
    return 2;
}
