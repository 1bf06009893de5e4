/* Construction of a spanning tree by nodes that see their neighbours, on every graph, by L.
 * Lamport. Counts: model SpanTreeTest4Nodes, github tlaplus/Examples, specifications/SpanningTree.
 *
 * Default (Nodes=4 MaxCardinality=5), without a deadlock check: TypeOK and Safety hold; 3984
 * distinct and 21784 generated states, depth 4. */

#include "../../calibration/actions.h"
#include "span_tree.h"

enum { STEP };

/* One for each set of edges. */
static uint32_t initial_count(const CmcNode *node)
{
    unsigned nodes = node->settings[NODES];
    return 1u << nodes * (nodes - 1) / 2;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    for (unsigned n = 0; n < k[NODES]; n++) {
        s->mom[n] = (uint8_t)n;
        s->dist[n] = n == ROOT ? 0 : k[MAX_CARDINALITY];
        for (unsigned m = 0; m < n; m++, index >>= 1)
            if (index & 1) {
                s->neighbours[n] |= (uint8_t)(1u << m);
                s->neighbours[m] |= (uint8_t)(1u << n);
            }
    }
}

/* n may take a neighbour m for its mother with any distance that is an improvement and larger than
 * that of m. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned n = 0; n < k[NODES]; n++)
        for (unsigned m = 0; m < k[NODES]; m++)
            for (unsigned d = s->dist[m] + 1u; s->neighbours[n] >> m & 1 && d < s->dist[n]; d++)
                act2(&to, STEP, n, m, d);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node, (void)out;
    s->mom[event->peer] = event->data[0];
    s->dist[event->peer] = event->data[1];
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "SpanTree",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
