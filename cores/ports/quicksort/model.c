/* The parameters, invariants and traces of Quicksort. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "quicksort.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->len; i++)
        if (s->seq[i] >= k[VALUES] || s->seq0[i] >= k[VALUES])
            return false;
    for (unsigned i = s->len; i < MAX_LEN; i++)
        if (s->seq[i] != 0 || s->seq0[i] != 0)
            return false;
    return s->len >= 1 && s->len <= k[MAX_SEQ_LEN] && s->pc <= DONE;
}

static bool is_permutation(const State *s)
{
    uint8_t count[MAX_VALUES] = {0};
    for (unsigned i = 0; i < s->len; i++) {
        count[s->seq[i]]++;
        count[s->seq0[i]]--;
    }
    for (unsigned v = 0; v < MAX_VALUES; v++)
        if (count[v] != 0)
            return false;
    return true;
}

static bool p_correct(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    if (s->pc != DONE)
        return true;
    for (unsigned i = 1; i < s->len; i++)
        if (s->seq[i - 1] > s->seq[i])
            return false;
    return is_permutation(s);
}

/* How many intervals that are left have both places. */
static unsigned common_intervals(const State *s, unsigned i, unsigned j)
{
    unsigned count = 0;
    for (unsigned first = 0; first <= i; first++)
        for (unsigned last = j; last < s->len; last++)
            count += is_left(s, first, last);
    return count;
}

/* Intervals do not overlap, and places that are in no common one are in order. */
static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    for (unsigned i = 0; i < s->len; i++) {
        if (common_intervals(s, i, i) > 1)
            return false;
        for (unsigned j = i + 1; j < s->len; j++)
            if (common_intervals(s, i, j) == 0 && s->seq[i] > s->seq[j])
                return false;
    }
    return is_permutation(s) && (s->pc != DONE || s->U == 0);
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"PCorrect", p_correct},
    {"Inv", inv},
};

static void add_sequence(Text *to, const uint8_t *seq, unsigned len)
{
    text_add(to, "<");
    for (unsigned i = 0; i < len; i++)
        text_add(to, "%s%u", i ? "," : "", seq[i] + 1u);
    text_add(to, ">");
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    const char *separator = "";
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "pc=%s seq0=", s->pc == DONE ? "Done" : "a");
    add_sequence(&to, s->seq0, s->len);
    text_add(&to, " seq=");
    add_sequence(&to, s->seq, s->len);
    text_add(&to, " U={");
    for (unsigned first = 0; first < s->len; first++)
        for (unsigned last = first; last < s->len; last++) {
            if (!is_left(s, first, last))
                continue;
            text_add(&to, "%s(%u,%u)", separator, first + 1, last + 1);
            separator = ",";
        }
    text_add(&to, "}");
    return to.len;
}

/* Of a partition: the interval, its place, and its number. */
static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"a(%u,%u)", "a(%u,%u,%u,%u)", "a", "Terminating"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer / 8u + 1, action->peer % 8u + 1,
             action->data[0] + 1u, action->data[1]);
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
    [VALUES] = {"Values", 3, 1, MAX_VALUES, "values"},
    [MAX_SEQ_LEN] = {"MaxSeqLen", 4, 1, MAX_LEN, "the length of the longest sequence"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
