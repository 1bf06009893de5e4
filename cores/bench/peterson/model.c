/* The parameter, invariant and traces of Peterson's lock. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "peterson.h"

static bool mutual_exclusion(const uint8_t *k, const void *state)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < k[N]; i++)
        inside += doing(state, i) == CRITICAL;
    return inside <= 1;
}

static const Predicate invariants[] = {{"mutual exclusion", mutual_exclusion}};

static void add_process(Text *to, const Peterson *s, unsigned i)
{
    static const char *const names[] = {"idle", "wait", "q2", "critical"};
    text_space(to);
    if (doing(s, i) < Q3)
        text_add(to, "p%u=%s,%u", i, names[doing(s, i)], level(s, i));
    else
        text_add(to, "p%u=q3(%u),%u", i, doing(s, i) - Q3, level(s, i));
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const unsigned n = node->settings[N];
    const Peterson *s = state;
    Text to = {text, cap, 0};
    for (unsigned i = 0; i < n; i++)
        add_process(&to, s, i);
    for (unsigned l = 1; l < n; l++)
        text_add(&to, " last%u=%u", l, s->last[l - 1]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"try(%u)",  "climb(%u)", "enter(%u)", "come_last(%u)",
                                        "look(%u)", "pass(%u)",  "leave(%u)"};
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
    [N] = {"N", 5, 2, MAX_N, "processes"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
