/* The invariant and the traces of HourClock, which has no parameters. */

#include "../predicates.h"
#include "../text.h"
#include "hour_clock.h"

static bool hc_ini(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    return s->hr >= 1 && s->hr <= 12;
}

static const Predicate invariants[] = {
    {"HCini", hc_ini},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "hr=%u", s->hr);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    (void)node, (void)action;
    text_add(&to, "HCnxt");
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
