/* Calibration mode: actions with no bytes and with all of them, and a state in which there are none. */

#include "../actions.h"

static size_t list(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    if (cap < 2 || s->turns > 90)
        return 0;
    actions[0] = (CmcEvent){.id = 1};
    actions[1].peer = node->id;
    actions[1].id = 2;
    actions[1].len = CMC_MAX_BYTES;
    memset(actions[1].data, 7, sizeof actions[1].data);
    return 2;
}
