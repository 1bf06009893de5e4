/* The parameters, invariants and traces of SpanTree. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "span_tree.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned n = 0; n < k[NODES]; n++)
        if (s->mom[n] >= k[NODES] || s->dist[n] > k[MAX_CARDINALITY])
            return false;
    return s->dist[ROOT] == 0;
}

/* A node that has a mother is her neighbour, and farther from the root. */
static bool safety(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned n = 0; n < k[NODES]; n++) {
        unsigned mom = s->mom[n];
        if (mom != n && (!(s->neighbours[n] >> mom & 1) || s->dist[mom] >= s->dist[n]))
            return false;
    }
    return true;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Safety", safety},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned n = 0; n < node->settings[NODES]; n++) {
        text_space(&to);
        text_add(&to, "Nbrs[%u]=", n + 1);
        text_set(&to, s->neighbours[n], 1);
        text_add(&to, " mom[%u]=%u dist[%u]=%u", n + 1, s->mom[n] + 1u, n + 1, s->dist[n]);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "Next(%u,%u,%u)", action->peer + 1u, action->data[0] + 1u, action->data[1]);
    return to.len;
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = format_state,
    .action = format_action,
};

static int describe(CmcModel *model)
{
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [NODES] = {"Nodes", 4, 1, MAX_NODES, "nodes"},
    [MAX_CARDINALITY] = {"MaxCardinality", 5, 1, 20, "the distance that nodes start with"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
