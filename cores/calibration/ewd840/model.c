/* The parameters, invariants and traces of EWD840. */

#include "../predicates.h"
#include "../text.h"
#include "ewd840.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->active >> k[N] == 0 && s->black >> k[N] == 0 && s->tpos < k[N] && s->token_black <= 1;
}

static bool termination_detection(const uint8_t *k, const void *state)
{
    const State *s = state;
    bool detected = s->tpos == 0 && !s->token_black && !(s->black & 1) && !(s->active & 1);
    (void)k;
    return !detected || s->active == 0;
}

/* All nodes above tpos are inactive, or a node up to tpos is black, or the token is. */
static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    unsigned up_to_tpos = (2u << s->tpos) - 1;
    (void)k;
    return (s->active & ~up_to_tpos) == 0 || (s->black & up_to_tpos) != 0 || s->token_black;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"TerminationDetection", termination_detection},
    {"Inv", inv},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "tpos=%u tcolor=%s", s->tpos, s->token_black ? "black" : "white");
    for (unsigned i = 0; i < node->settings[N]; i++)
        text_add(&to, " active[%u]=%s color[%u]=%s", i, s->active >> i & 1 ? "TRUE" : "FALSE", i,
                 s->black >> i & 1 ? "black" : "white");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "InitiateProbe",
        "PassToken(%u)",
        "SendMsg(%u,%u)",
        "Deactivate(%u)",
    };
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
    [N] = {"N", 3, 1, MAX_N, "nodes"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
