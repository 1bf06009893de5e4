/* The parameters, invariant and traces of CoffeeCan. */

#include "../predicates.h"
#include "../text.h"
#include "coffee_can.h"

static bool type_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->black <= max_bean_count(k) && s->white <= max_bean_count(k);
}

static const Predicate invariants[] = {
    {"TypeInvariant", type_invariant},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "black=%u white=%u", s->black, s->white);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "PickSameColorWhite",
        "PickSameColorBlack",
        "PickDifferentColor",
        "Termination",
    };
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "%s", names[action->id]);
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
    [BEANS] = {"MaxBeanCount", 100, 1, 255, "the most beans at first"},
    [SCALE] = {"Scale", 1, 1, 12, "MaxBeanCount is multiplied by this"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
