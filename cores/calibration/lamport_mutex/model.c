/* The parameters, invariants, constraint and traces of LamportMutex. */

#include "../predicates.h"
#include "../text.h"
#include "lamport_mutex.h"

static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->clock[p] == 0 || s->ack[p] >> k[N] || s->network[p][p])
            return false;
    return s->crit >> k[N] == 0;
}

static bool bounded_network(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < k[N]; q++)
            if (length(s->network[p][q]) > 3)
                return false;
    return true;
}

static bool mutex(const uint8_t *k, const void *state)
{
    const State *s = state;
    (void)k;
    return (s->crit & (s->crit - 1)) == 0;
}

static bool clock_constraint(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->clock[p] > k[MAX_CLOCK])
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"BoundedNetwork", bounded_network},
    {"Mutex", mutex},
};

static const Predicate constraint = {"ClockConstraint", clock_constraint};

static void add_channel(Text *to, Channel channel)
{
    const char *separator = "";
    text_add(to, "<");
    for (; channel; channel >>= 4) {
        text_add(to, "%s", separator);
        separator = ",";
        if (head(channel) == ACK)
            text_add(to, "ack");
        else if (head(channel) == REL)
            text_add(to, "rel");
        else
            text_add(to, "req(%u)", head(channel) - REQUEST);
    }
    text_add(to, ">");
}

static void add_process(Text *to, const uint8_t *k, const State *s, unsigned p)
{
    text_add(to, " clock[%u]=%u ack[%u]=", p + 1, s->clock[p], p + 1);
    text_set(to, s->ack[p], 1);
    for (unsigned q = 0; q < k[N]; q++)
        text_add(to, " req[%u][%u]=%u", p + 1, q + 1, s->req[p][q]);
    for (unsigned q = 0; q < k[N]; q++) {
        if (q == p)
            continue;
        text_add(to, " network[%u][%u]=", p + 1, q + 1);
        add_channel(to, s->network[p][q]);
    }
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "crit=");
    text_set(&to, s->crit, 1);
    for (unsigned p = 0; p < node->settings[N]; p++)
        add_process(&to, node->settings, s, p);
    return to.len;
}

/* What a process receives is not said: the state says which message is first. */
static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"Request(%u)", "Enter(%u)", "Exit(%u)", "Receive(%u,%u)"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u, action->data[0] + 1u);
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
    [N] = {"N", 3, 1, MAX_N, "processes"},
    [MAX_CLOCK] = {"maxClock", 6, 1, MAX_MAX_CLOCK, "the clock up to which states are looked at"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
