/* The parameters, invariants, constraint and traces of AsyncTerminationDetection. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "async_termination_detection.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->active >> k[N] == 0 && s->terminationDetected <= 1;
}

static bool safe(const uint8_t *k, const void *state)
{
    const State *s = state;
    return !s->terminationDetected || terminated(k, s);
}

static bool state_constraint(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < k[N]; i++)
        if (s->pending[i] > k[PENDING])
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Safe", safe},
};

static const Predicate constraint = {"StateConstraint", state_constraint};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "terminationDetected=%s", s->terminationDetected ? "TRUE" : "FALSE");
    for (unsigned i = 0; i < node->settings[N]; i++)
        text_add(&to, " active[%u]=%s pending[%u]=%u", i, s->active >> i & 1 ? "TRUE" : "FALSE", i,
                 s->pending[i]);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"DetectTermination", "RcvMsg(%u)", "Terminate(%u)",
                                        "Terminate(%u,detected)", "SendMsg(%u,%u)"};
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
    CmcStatus status = add_constraint(model, &constraint);
    if (status != CMC_OK)
        return status;
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [N] = {"N", 4, 1, MAX_N, "nodes"},
    [PENDING] = {"Pending", 3, 0, 254, "messages to one node that are looked at"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
