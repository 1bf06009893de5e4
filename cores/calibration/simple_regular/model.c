/* The parameters, invariants and traces of SimpleRegular. */

#include "../predicates.h"
#include "../text.h"
#include "simple_regular.h"

/* Once all are done, some y[i] is 1. */
static bool p_correct(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[N]; i++)
        if (two_bits(s->pc, i) != DONE)
            return true;
    return s->y != 0;
}

/* No register is without a value, and nothing is there of processes that are not. */
static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[N]; i++)
        if (two_bits(s->x, i) == 0)
            return false;
    return k[N] == MAX_N || ((s->x | s->pc) >> 2 * k[N] == 0 && s->y >> k[N] == 0);
}

static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[N]; i++)
        if (two_bits(s->pc, i) >= B && two_bits(s->x, i) != ONLY_1)
            return false;
    return p_correct(k, state);
}

static const Predicate invariants[] = {
    {"PCorrect", p_correct},
    {"TypeOK", type_ok},
    {"Inv", inv},
};

static const char *const labels[] = {"a1", "a2", "b", "Done"};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const values[] = {"{}", "{0}", "{1}", "{0,1}"};
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned i = 0; i < node->settings[N]; i++) {
        text_space(&to);
        text_add(&to, "x[%u]=%s y[%u]=%u pc[%u]=%s", i, values[two_bits(s->x, i)], i,
                 s->y >> i & 1u, i, labels[two_bits(s->pc, i)]);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"a1(%u)", "a2(%u)", "b(%u,%u)", "Terminating"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer, action->data[0]);
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
    [N] = {"N", 8, 1, MAX_N, "processes"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
