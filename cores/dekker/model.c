/* The properties of Dekker's algorithm and how its states are shown. */

#include <stdio.h>

#include "dekker.h"

static const State *state_of(const CmcWorld *world)
{
    const void *state = NULL;
    size_t len = 0;
    cmc_world_state(world, 0, &state, &len);
    return state;
}

static bool one_at_a_time(void *user, const CmcWorld *world)
{
    const State *s = state_of(world);
    (void)user;
    return !s || s->at[0] != IS_IN || s->at[1] != IS_IN;
}

static bool process_0_has_been_in(void *user, const CmcWorld *world)
{
    const State *s = state_of(world);
    (void)user;
    return s && s->been_in[0];
}

static const char *const places[] = {"sets_out", "asks", "looks", "waits", "is_in"};

static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    (void)node;
    int length = snprintf(text, cap, "lead=%u at=%s,%s wants=%u,%u turn=%u been_in=%u,%u", s->lead,
                          places[s->at[0]], places[s->at[1]], s->wants[0], s->wants[1], s->turn,
                          s->been_in[0], s->been_in[1]);
    return length < 0 ? 0 : (size_t)length;
}

static size_t show_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    (void)node;
    int length = snprintf(text, cap, "process %u %s", action->peer, places[action->id]);
    return length < 0 ? 0 : (size_t)length;
}

static int describe(CmcModel *model)
{
    static const CmcFormat format = {
        .size = sizeof(CmcFormat), .state = show_state, .action = show_action};
    CmcStatus status = cmc_model_invariant(model, "one at a time", one_at_a_time, NULL);
    if (status == CMC_OK)
        status = cmc_model_eventually(model, "process 0 gets in", process_0_has_been_in, NULL, 0);
    return status == CMC_OK ? cmc_model_format(model, &format) : status;
}

static const CmcParameter parameters[] = {
    [LEAD] = {"LEAD", 0, 0, 255, "steps that process 0 needs to set out, in eights"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
