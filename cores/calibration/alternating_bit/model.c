/* The parameters, invariant, constraint and traces of AlternatingBit. */

#include "../predicates.h"
#include "../text.h"
#include "alternating_bit.h"

static bool ab_type_inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned i = 0; i < s->msgQ_len; i++)
        if (s->msgQ[i] / 2 >= k[DATA])
            return false;
    for (unsigned i = 0; i < s->ackQ_len; i++)
        if (s->ackQ[i] > 1)
            return false;
    return s->sBit <= 1 && s->sAck <= 1 && s->rBit <= 1 && s->sent < k[DATA] && s->rcvd < k[DATA];
}

static bool seq_constraint(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->msgQ_len <= k[MSG_Q_LEN] && s->ackQ_len <= k[ACK_Q_LEN];
}

static const Predicate invariants[] = {
    {"ABTypeInv", ab_type_inv},
};

static const Predicate constraint = {"SeqConstraint", seq_constraint};

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, "sBit=%u sAck=%u rBit=%u sent=d%u rcvd=d%u msgQ=<", s->sBit, s->sAck, s->rBit,
             s->sent + 1u, s->rcvd + 1u);
    for (unsigned i = 0; i < s->msgQ_len; i++)
        text_add(&to, "%s(%u,d%u)", i ? "," : "", s->msgQ[i] & 1u, s->msgQ[i] / 2u + 1);
    text_add(&to, "> ackQ=<");
    for (unsigned i = 0; i < s->ackQ_len; i++)
        text_add(&to, "%s%u", i ? "," : "", s->ackQ[i]);
    text_add(&to, ">");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "SndNewValue(d%u)", "ReSndMsg", "RcvMsg", "SndAck", "RcvAck", "LoseMsg(%u)", "LoseAck(%u)",
    };
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
    [DATA] = {"Data", 2, 1, MAX_DATA, "values"},
    [MSG_Q_LEN] = {"msgQLen", 2, 0, MAX_LEN, "messages in the channel"},
    [ACK_Q_LEN] = {"ackQLen", 2, 0, MAX_LEN, "acknowledgements in the channel"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
