/* The parameters, invariants and traces of DieHard. NotSolved is there to be violated. */

#include "../predicates.h"
#include "../text.h"
#include "die_hard.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->big <= k[BIG] && s->small <= k[SMALL];
}

static bool not_solved(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->big != k[GOAL];
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"NotSolved", not_solved},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "big=%u small=%u", s->big, s->small);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "FillSmallJug", "FillBigJug", "EmptySmallJug", "EmptyBigJug", "SmallToBig", "BigToSmall",
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
    [BIG] = {"Big", 5, 1, 255, "what the big jug holds"},
    [SMALL] = {"Small", 3, 1, 255, "what the small jug holds"},
    [GOAL] = {"Goal", 4, 0, 255, "what to measure"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
