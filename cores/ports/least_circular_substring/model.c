/* The parameters, invariants and traces of LeastCircularSubstring. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "least_circular_substring.h"

static bool type_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->n; i++)
        if (s->b[i] >= k[CHARACTERS])
            return false;
    for (unsigned i = 0; i <= 2u * MAX_LENGTH; i++)
        if (s->f[i] > 2 * s->n)
            return false;
    return s->n <= k[MAX_STRING_LENGTH] && s->i <= 2 * s->n && s->j <= 2 * s->n + 1 &&
           s->k <= 2 * s->n && s->pc <= DONE;
}

/* The rotation to `one` is not larger than that to `other`. */
static bool is_least_of(const State *s, unsigned one, unsigned other)
{
    for (unsigned i = 0; i < s->n; i++)
        if (at(s, one + i) != at(s, other + i))
            return at(s, one + i) < at(s, other + i);
    return true;
}

/* The result is the first of the least rotations. */
static bool correctness(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    for (unsigned other = 0; s->pc == DONE && other < s->n; other++) {
        if (!is_least_of(s, s->k, other))
            return false;
        if (other < s->k && is_least_of(s, other, s->k))
            return false;
    }
    return true;
}

static const Predicate invariants[] = {
    {"TypeInvariant", type_invariant},
    {"Correctness", correctness},
};

static const char *const labels[] = {"L3",  "L5",  "L6",  "L7",  "L8",  "L9",  "L10",
                                     "L11", "L12", "L13", "L14", "LVR", "Done"};

static void add_index(Text *to, unsigned index)
{
    if (index)
        text_add(to, "%u", index - 1);
    else
        text_add(to, "nil");
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "pc=%s j=%u k=%u i=", labels[s->pc], s->j, s->k);
    add_index(&to, s->i);
    text_add(&to, " b=<");
    for (unsigned i = 0; i < s->n; i++)
        text_add(&to, "%s%u", i ? "," : "", s->b[i]);
    text_add(&to, ">");
    for (unsigned i = 0; i <= 2u * s->n; i++) {
        text_add(&to, " f[%u]=", i);
        add_index(&to, s->f[i]);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "%s", action->id == DONE ? "Terminating" : labels[action->id]);
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
    [CHARACTERS] = {"Characters", 2, 1, MAX_CHARACTERS, "characters"},
    [MAX_STRING_LENGTH] = {"MaxStringLength", 6, 0, MAX_LENGTH, "the length of the longest string"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
