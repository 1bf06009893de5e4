/* The parameters, invariants and traces of Chameneos. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "chameneos.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned c = 0; c < k[M]; c++)
        if (s->color[c] > FADED || s->met[c] > k[N])
            return false;
    return s->meetingPlace <= k[M] && s->numMeetings <= k[N];
}

/* After N meetings the creatures have counted 2 * N. */
static bool sum_met(const uint8_t *k, const void *state)
{
    const State *s = state;
    unsigned sum = 0;
    for (unsigned c = 0; c < k[M]; c++)
        sum += s->met[c];
    return s->numMeetings != k[N] || sum == 2u * k[N];
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"SumMet", sum_met},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const colors[] = {"blue", "red", "yellow", "faded"};
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "meetingPlace=%u numMeetings=%u", s->meetingPlace, s->numMeetings);
    for (unsigned c = 0; c < node->settings[M]; c++)
        text_add(&to, " chameneoses[%u]=(%s,%u)", c + 1, colors[s->color[c]], s->met[c]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "Meet(%u)", action->peer + 1u);
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
    [N] = {"N", 4, 1, 100, "meetings"},
    [M] = {"M", 4, 1, MAX_M, "creatures"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
