/* The parameters, invariants and traces of ChangRoberts. */

#include "../predicates.h"
#include "../text.h"
#include "chang_roberts.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned n = 0; n < k[N]; n++)
        if (s->msgs[n] >> k[N] || s->state[n] > WON || s->pc[n] > N1)
            return false;
    return s->initiator >> k[N] == 0;
}

/* A winner is the smallest initiator, and all others have lost. */
static bool correctness(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned n = 0; n < k[N]; n++) {
        if (s->state[n] != WON)
            continue;
        if ((s->initiator & ((2u << n) - 1)) != 1u << n)
            return false;
        for (unsigned m = 0; m < k[N]; m++)
            if (m != n && s->state[m] != LOST)
                return false;
    }
    return true;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Correctness", correctness},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const states[] = {"cand", "lost", "won"};
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "initiator=");
    text_set(&to, s->initiator, 1);
    for (unsigned n = 0; n < node->settings[N]; n++) {
        text_add(&to, " msgs[%u]=", n + 1);
        text_set(&to, s->msgs[n], 1);
        text_add(&to, " state[%u]=%s pc[%u]=n%u", n + 1, states[s->state[n]], n + 1, s->pc[n]);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"n0(%u)", "n1(%u,%u)"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u, action->data[0] + 1u);
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
