/* The parameters, invariants and traces of Prisoners. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "prisoners.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[PRISONERS]; i++)
        if (s->timesSwitched[i] > 2)
            return false;
    return s->switchAUp <= 1 && s->switchBUp <= 1 && s->count < 2 * k[PRISONERS];
}

/* When the counter is sure, everybody has been there. */
static bool safety(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 1; i < k[PRISONERS]; i++)
        if (s->count == 2 * (k[PRISONERS] - 1) && s->timesSwitched[i] == 0)
            return false;
    return true;
}

/* Every switching up but the last has been counted, and switch A may have been up at first. */
static bool count_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    unsigned total = 0, known = (unsigned)s->count + s->switchAUp;
    for (unsigned i = 1; i < k[PRISONERS]; i++)
        total += s->timesSwitched[i];
    return known == total || known == total + 1;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Safety", safety},
    {"CountInvariant", count_invariant},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "switchAUp=%s switchBUp=%s count=%u", s->switchAUp ? "TRUE" : "FALSE",
             s->switchBUp ? "TRUE" : "FALSE", s->count);
    for (unsigned i = 1; i < node->settings[PRISONERS]; i++)
        text_add(&to, " timesSwitched[%u]=%u", i, s->timesSwitched[i]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"CounterStep", "NonCounterStep(%u)"};
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
    [PRISONERS] = {"Prisoners", 4, 2, MAX_PRISONERS, "prisoners"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
