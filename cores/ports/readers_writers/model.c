/* The parameters, invariants and traces of ReadersWriters. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "readers_writers.h"

/* No request is in the queue twice. */
static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->waiting_len; i++) {
        if (s->waiting[i] >= 2 * k[NUM_ACTORS])
            return false;
        for (unsigned j = 0; j < i; j++)
            if (s->waiting[i] == s->waiting[j])
                return false;
    }
    return (s->readers | s->writers) >> k[NUM_ACTORS] == 0;
}

/* Nobody reads while another writes, and one writes at a time. */
static bool safety(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    return (s->readers == 0 || s->writers == 0) && (s->writers & (s->writers - 1)) == 0;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Safety", safety},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "readers=");
    text_set(&to, s->readers, 1);
    text_add(&to, " writers=");
    text_set(&to, s->writers, 1);
    text_add(&to, " waiting=<");
    for (unsigned i = 0; i < s->waiting_len; i++)
        text_add(&to, "%s%s:%u", i ? "," : "", s->waiting[i] % 2 ? "write" : "read",
                 s->waiting[i] / 2u + 1);
    text_add(&to, ">");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"TryRead(%u)", "TryWrite(%u)", "Read(%u)", "Write(%u)",
                                        "StopActivity(%u)"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u);
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
    [NUM_ACTORS] = {"NumActors", 3, 1, MAX_ACTORS, "actors"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
