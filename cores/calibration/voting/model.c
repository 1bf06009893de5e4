/* The parameters, invariants and traces of Voting. */

#include "../predicates.h"
#include "../text.h"
#include "voting.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned a = 0; a < k[ACCEPTORS]; a++) {
        if (s->maxBal[a] > k[BALLOTS])
            return false;
        for (unsigned b = 0; b < MAX_BALLOTS; b++)
            if (votes_at(s, a, b) >> (b < k[BALLOTS] ? k[VALUES] : 0))
                return false;
    }
    return true;
}

/* A quorum each member of which voted for v at c, or can no longer vote at c and did not. */
static bool is_settled(const uint8_t *k, const State *s, unsigned c, unsigned v)
{
    unsigned settled = 0;
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (voted_for(s, a, c, v) || (s->maxBal[a] > c + 1 && votes_at(s, a, c) == 0))
            settled |= 1u << a;
    return bits_count(settled) > k[ACCEPTORS] / 2u;
}

static bool safe_at(const uint8_t *k, const State *s, unsigned b, unsigned v)
{
    for (unsigned c = 0; c < b; c++)
        if (!is_settled(k, s, c, v))
            return false;
    return true;
}

static bool votes_safe(const uint8_t *k, const State *s)
{
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        for (unsigned b = 0; b < k[BALLOTS]; b++)
            for (unsigned v = 0; v < k[VALUES]; v++)
                if (voted_for(s, a, b, v) && !safe_at(k, s, b, v))
                    return false;
    return true;
}

static bool one_value_per_ballot(const uint8_t *k, const State *s)
{
    for (unsigned b = 0; b < k[BALLOTS]; b++) {
        unsigned values = 0;
        for (unsigned a = 0; a < k[ACCEPTORS]; a++)
            values |= votes_at(s, a, b);
        if (bits_count(values) > 1)
            return false;
    }
    return true;
}

static bool inv(const uint8_t *k, const void *state)
{
    return type_ok(k, state) && votes_safe(k, state) && one_value_per_ballot(k, state);
}

static const Predicate invariants[] = {
    {"Inv", inv},
};

static void add_votes(Text *to, const uint8_t *k, const State *s, unsigned a)
{
    const char *separator = "";
    text_add(to, "{");
    for (unsigned b = 0; b < k[BALLOTS]; b++)
        for (unsigned v = 0; v < k[VALUES]; v++) {
            if (!voted_for(s, a, b, v))
                continue;
            text_add(to, "%s(%u,v%u)", separator, b, v + 1);
            separator = ",";
        }
    text_add(to, "}");
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned a = 0; a < node->settings[ACCEPTORS]; a++) {
        text_space(&to);
        text_add(&to, "maxBal[a%u]=%d votes[a%u]=", a + 1, s->maxBal[a] - 1, a + 1);
        add_votes(&to, node->settings, s, a);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"IncreaseMaxBal(a%u,%u)", "VoteFor(a%u,%u,v%u)"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u, action->data[0], action->data[1] + 1u);
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
    [ACCEPTORS] = {"Acceptors", 3, 1, MAX_ACCEPTORS, "acceptors"},
    [VALUES] = {"Values", 2, 1, MAX_VALUES, "values"},
    [BALLOTS] = {"Ballots", 3, 1, MAX_BALLOTS, "ballots"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
