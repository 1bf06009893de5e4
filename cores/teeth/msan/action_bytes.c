/* reject: uninitialised-action */

#include "actions.h"

static size_t list(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    actions[0] = (CmcEvent){.id = 1};
    actions[1].peer = 0;
    actions[1].id = 2;
    actions[1].len = 3;
    actions[1].data[0] = actions[1].data[1] = 1;
    (void)node;
    (void)state;
    (void)cap;
    return 2;
}
