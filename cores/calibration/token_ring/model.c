/* The parameters, invariant and traces of TokenRing. */

#include "../predicates.h"
#include "../text.h"
#include "token_ring.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[N]; i++)
        if (s->c[i] >= k[M])
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned i = 0; i < node->settings[N]; i++) {
        text_space(&to);
        text_add(&to, "c[%u]=%u", i, s->c[i]);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"CreateToken", "PassToken(%u)"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer);
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
    [N] = {"N", 6, 2, MAX_N, "nodes"},
    [M] = {"M", 6, 2, MAX_M, "what counters are modulo"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
