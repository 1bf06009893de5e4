/* The parameters, invariants and traces of Simple. */

#include "../predicates.h"
#include "../text.h"
#include "simple.h"

/* Once all are done, some y[i] is 1. */
static bool p_correct(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->done != everyone(k) || s->y != 0;
}

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    unsigned nobody = ~everyone(k);
    return ((s->x | s->y | s->past_a | s->done) & nobody) == 0 && (s->done & ~s->past_a) == 0;
}

static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    return (s->past_a & ~s->x) == 0 && p_correct(k, state);
}

static const Predicate invariants[] = {
    {"PCorrect", p_correct},
    {"TypeOK", type_ok},
    {"Inv", inv},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned i = 0; i < node->settings[N]; i++) {
        text_space(&to);
        text_add(&to, "x[%u]=%u y[%u]=%u pc[%u]=%s", i, s->x >> i & 1u, i, s->y >> i & 1u, i,
                 s->done >> i & 1     ? "Done"
                 : s->past_a >> i & 1 ? "b"
                                      : "a");
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"a(%u)", "b(%u)", "Terminating"};
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
    [N] = {"N", 5, 1, MAX_N, "processes"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
