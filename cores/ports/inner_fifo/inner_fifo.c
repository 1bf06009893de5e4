/* A buffer between two channels with handshakes, of L. Lamport, Specifying Systems, chapter 4.
 * Counts: module MCInnerFIFO, github tlaplus/Examples.
 *
 * Default (3 messages, qLen=3), with a deadlock check and the state constraint: TypeInvariant
 * holds; 3864 distinct and 9660 generated states, depth 11. */

#include "../../calibration/actions.h"
#include "inner_fifo.h"

enum { SSEND, BUF_RCV, BUF_SEND, RRCV };

/* Any value on both channels, and each at rest in one of two ways. */
static uint32_t initial_count(const CmcNode *node)
{
    uint32_t channels = 2u * node->settings[MESSAGES];
    return channels * channels;
}

static Channel at_rest(uint32_t index)
{
    return (Channel){(uint8_t)(index / 2), index & 1, index & 1};
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    uint32_t channels = 2u * node->settings[MESSAGES];
    State *s = state;
    (void)out;
    s->in = at_rest(index / channels);
    s->out = at_rest(index % channels);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned msg = 0; s->in.rdy == s->in.ack && msg < node->settings[MESSAGES]; msg++)
        act1(&to, SSEND, 0, msg);
    if (s->in.rdy != s->in.ack)
        act(&to, BUF_RCV, 0);
    if (s->q_len > 0 && s->out.rdy == s->out.ack)
        act(&to, BUF_SEND, 0);
    if (s->out.rdy != s->out.ack)
        act(&to, RRCV, 0);
    return to.count;
}

static void send_value(Channel *channel, uint8_t value)
{
    channel->val = value;
    channel->rdy = !channel->rdy;
}

static void append(State *s, uint8_t value, CmcOut *out)
{
    if (s->q_len == ROOM)
        outgrown(out);
    else
        s->q[s->q_len++] = value;
}

static uint8_t take_first(State *s)
{
    uint8_t value = s->q[0];
    s->q_len--;
    memmove(s->q, s->q + 1, s->q_len);
    s->q[s->q_len] = 0;
    return value;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    (void)node;
    switch (event->id) {
    case SSEND:
        send_value(&s->in, event->data[0]);
        break;
    case BUF_RCV:
        s->in.ack = !s->in.ack;
        append(s, s->in.val, out);
        break;
    case BUF_SEND:
        send_value(&s->out, take_first(s));
        break;
    default:
        s->out.ack = !s->out.ack;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "InnerFIFO",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
