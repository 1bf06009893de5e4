/* The invariants and the traces of Peterson, which has no parameters. */

#include "../predicates.h"
#include "../text.h"
#include "peterson.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    for (unsigned p = 0; p < N; p++)
        if (s->pc[p] > A4 || s->c[p] > 1)
            return false;
    return s->turn < N;
}

static bool is_critical(const State *s, unsigned p)
{
    return s->pc[p] == CS || s->pc[p] == A4;
}

static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    for (unsigned p = 0; p < N; p++) {
        if (s->c[p] != (s->pc[p] >= A2))
            return false;
        if (is_critical(s, p) && s->turn != p && s->pc[1 - p] > A2)
            return false;
    }
    return !is_critical(s, 0) || !is_critical(s, 1);
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Inv", inv},
};

static const char *const labels[] = {"a0", "a1", "a2", "a3", "cs", "a4"};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "turn=%u", s->turn + 1u);
    for (unsigned p = 0; p < N; p++)
        text_add(&to, " pc[%u]=%s c[%u]=%s", p + 1, labels[s->pc[p]], p + 1,
                 s->c[p] ? "TRUE" : "FALSE");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "%s(%u)", labels[action->id], action->peer + 1u);
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

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .describe = describe,
};
