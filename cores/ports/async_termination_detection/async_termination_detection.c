/* What a termination detector must do where messages take time: the specification that EWD998 (E.
 * W. Dijkstra's report of S. Safra's algorithm) implements. Counts: module
 * AsyncTerminationDetection by S. Merz and M. Kuppe, github tlaplus/Examples.
 *
 * Default (N=4, 3 pending messages), with a deadlock check and the state constraint: TypeOK and
 * Safe hold; 4097 distinct and 53271 generated states, depth 14. */

#include "../../calibration/actions.h"
#include "async_termination_detection.h"

enum { DETECT_TERMINATION, RCV_MSG, TERMINATE, TERMINATE_DETECTED, SEND_MSG };

/* Every activity; the first is that of no node, and is there again, detected, at the end. */
static uint32_t initial_count(const CmcNode *node)
{
    return (1u << node->settings[N]) + 1;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)out;
    if (index >> node->settings[N])
        s->terminationDetected = 1;
    else
        s->active = (uint8_t)index;
}

/* The node terminates, and whether that is detected is one of two if it is the last. */
static void list_terminate(Actions *to, const uint8_t *k, const State *s, unsigned i)
{
    State after = *s;
    after.active &= (uint8_t) ~(1u << i);
    act(to, TERMINATE, i);
    if (terminated(k, &after) && !s->terminationDetected)
        act(to, TERMINATE_DETECTED, i);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    if (terminated(k, s))
        act(&to, DETECT_TERMINATION, 0);
    for (unsigned i = 0; i < k[N]; i++) {
        if (s->pending[i] > 0)
            act(&to, RCV_MSG, i);
        if (!(s->active >> i & 1))
            continue;
        list_terminate(&to, k, s, i);
        for (unsigned j = 0; j < k[N]; j++)
            act1(&to, SEND_MSG, i, j);
    }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned i = event->peer;
    State *s = state;
    (void)node;
    switch (event->id) {
    case DETECT_TERMINATION:
        s->terminationDetected = 1;
        break;
    case RCV_MSG:
        s->active |= (uint8_t)(1u << i);
        s->pending[i]--;
        break;
    case TERMINATE:
    case TERMINATE_DETECTED:
        s->active &= (uint8_t) ~(1u << i);
        s->terminationDetected |= event->id == TERMINATE_DETECTED;
        break;
    default:
        if (s->pending[event->data[0]] == UINT8_MAX)
            outgrown(out);
        else
            s->pending[event->data[0]]++;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "AsyncTerminationDetection",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
