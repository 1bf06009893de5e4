/* The parameters, invariant and traces of Paxos. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "paxos_ballots.h"

/* A value is chosen when a quorum has voted for it in one ballot. */
static bool one_value_chosen(const uint8_t *k, const void *state)
{
    const PaxosBallots *s = state;
    const unsigned x = s->sent_2b[0], y = s->sent_2b[1], z = s->sent_2b[2];
    const unsigned ballots = (x & y) | (y & z) | (z & x);
    unsigned chosen = 0;
    for (unsigned v = 0; v < k[VALUES]; v++)
        chosen += (s->sent_2a[v] & ballots) != 0;
    return chosen <= 1;
}

static const Predicate invariants[] = {{"one value is chosen", one_value_chosen}};

static void add_ballots(Text *to, const char *message, unsigned of, unsigned ballots)
{
    text_add(to, " %s[%u]=", message, of);
    text_set(to, ballots, 0);
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const PaxosBallots *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "1a=");
    text_set(&to, s->sent_1a, 0);
    for (unsigned a = 0; a < ACCEPTORS; a++)
        add_ballots(&to, "1b", a, s->sent_1b[a]);
    for (unsigned v = 0; v < node->settings[VALUES]; v++)
        add_ballots(&to, "2a", v, s->sent_2a[v]);
    for (unsigned a = 0; a < ACCEPTORS; a++)
        add_ballots(&to, "2b", a, s->sent_2b[a]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"Phase1a(%u)", "Phase1b(%u,%u)", "Phase2a(%u,%u)",
                                        "Phase2b(%u,%u)"};
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
    [BALLOTS] = {"BALLOTS", 4, 1, MAX_BALLOTS, "ballots"},
    [VALUES] = {"VALUES", 2, 1, MAX_VALUES, "values"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
