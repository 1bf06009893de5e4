/* The parameters, invariant, constraint and traces of InnerFIFO. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "inner_fifo.h"

static bool channel_type_ok(const uint8_t *k, const Channel *channel)
{
    return channel->val < k[MESSAGES] && channel->rdy <= 1 && channel->ack <= 1;
}

static bool type_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->q_len; i++)
        if (s->q[i] >= k[MESSAGES])
            return false;
    return channel_type_ok(k, &s->in) && channel_type_ok(k, &s->out);
}

static bool q_constraint(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->q_len <= k[Q_LEN];
}

static const Predicate invariants[] = {
    {"TypeInvariant", type_invariant},
};

static const Predicate constraint = {"Constraint", q_constraint};

static void add_channel(Text *to, const char *name, const Channel *channel)
{
    text_add(to, "%s=[val=d%u,rdy=%u,ack=%u] ", name, channel->val + 1u, channel->rdy,
             channel->ack);
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    add_channel(&to, "in", &s->in);
    add_channel(&to, "out", &s->out);
    text_add(&to, "q=<");
    for (unsigned i = 0; i < s->q_len; i++)
        text_add(&to, "%sd%u", i ? "," : "", s->q[i] + 1u);
    text_add(&to, ">");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"SSend(d%u)", "BufRcv", "BufSend", "RRcv"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->data[0] + 1u);
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
    [MESSAGES] = {"Messages", 3, 1, MAX_MESSAGES, "messages"},
    [Q_LEN] = {"qLen", 3, 0, MAX_Q_LEN, "the length up to which the buffer is looked at"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
