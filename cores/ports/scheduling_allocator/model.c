/* The parameters, invariants and traces of SchedulingAllocator. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "scheduling_allocator.h"

static bool type_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        if ((s->unsat[c] | s->alloc[c]) >> k[RESOURCES])
            return false;
    for (unsigned i = 0; i < s->sched_len; i++)
        if (s->sched[i] >= k[CLIENTS])
            return false;
    return true;
}

static bool resource_mutex(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        for (unsigned d = 0; d < c; d++)
            if (s->alloc[c] & s->alloc[d])
                return false;
    return true;
}

/* Who is scheduled wants resources and is scheduled once; who is not has all that it wanted, or
 * none of it yet. */
static bool scheduled(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->sched_len; i++) {
        if (s->unsat[s->sched[i]] == 0)
            return false;
        for (unsigned j = 0; j < i; j++)
            if (s->sched[i] == s->sched[j])
                return false;
    }
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        if (!is_scheduled(s, c) && s->unsat[c] != 0 && s->alloc[c] != 0)
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"TypeInvariant", type_invariant},
    {"ResourceMutex", resource_mutex},
    {"Scheduled", scheduled},
};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "sched=<");
    for (unsigned i = 0; i < s->sched_len; i++)
        text_add(&to, "%sc%u", i ? "," : "", s->sched[i] + 1u);
    text_add(&to, ">");
    for (unsigned c = 0; c < node->settings[CLIENTS]; c++) {
        text_add(&to, " unsat[c%u]=", c + 1);
        text_set(&to, s->unsat[c], 1);
        text_add(&to, " alloc[c%u]=", c + 1);
        text_set(&to, s->alloc[c], 1);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"Request", "Allocate", "Return"};
    Text to = {text, cap, 0};
    (void)node;
    if (action->id == SCHEDULE) {
        text_add(&to, "Schedule(%u)", action->data[0]);
        return to.len;
    }
    text_add(&to, "%s(c%u,", names[action->id], action->peer + 1u);
    text_set(&to, action->data[0], 1);
    text_add(&to, ")");
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
    [CLIENTS] = {"Clients", 3, 1, MAX_CLIENTS, "clients"},
    [RESOURCES] = {"Resources", 2, 1, MAX_RESOURCES, "resources"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
