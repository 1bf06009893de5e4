/* The alternating bit protocol over channels that lose messages (K. A. Bartlett, R. A. Scantlebury
 * and P. T. Wilkinson, Communications of the ACM 12(5), 1969), of L. Lamport, Specifying Systems,
 * chapter 14 (github tlaplus/Examples, specifications/SpecifyingSystems/TLC).
 *
 * Default (Data=2 msgQLen=2 ackQLen=2), with a deadlock check and the state constraint: ABTypeInv
 * holds; 240 distinct and 1392 generated states, depth 10. */

#include "../actions.h"
#include "alternating_bit.h"

enum { SND_NEW_VALUE, RE_SND_MSG, RCV_MSG, SND_ACK, RCV_ACK, LOSE_MSG, LOSE_ACK };

/* Any bit, sent and received value. */
static uint32_t initial_count(const CmcNode *node)
{
    return 2u * node->settings[DATA] * node->settings[DATA];
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    unsigned data = node->settings[DATA], bit = index / (data * data);
    State *s = state;
    (void)out;
    s->sBit = s->sAck = s->rBit = (uint8_t)bit;
    s->sent = (uint8_t)(index / data % data);
    s->rcvd = (uint8_t)(index % data);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned d = 0; s->sAck == s->sBit && d < node->settings[DATA]; d++)
        act1(&to, SND_NEW_VALUE, 0, d);
    if (s->sAck != s->sBit)
        act(&to, RE_SND_MSG, 0);
    if (s->msgQ_len > 0)
        act(&to, RCV_MSG, 0);
    act(&to, SND_ACK, 0);
    if (s->ackQ_len > 0)
        act(&to, RCV_ACK, 0);
    for (unsigned i = 0; i < s->msgQ_len; i++)
        act1(&to, LOSE_MSG, 0, i);
    for (unsigned i = 0; i < s->ackQ_len; i++)
        act1(&to, LOSE_ACK, 0, i);
    return to.count;
}

static void append(uint8_t *queue, uint8_t *len, unsigned message, CmcOut *out)
{
    if (*len == ROOM)
        outgrown(out);
    else
        queue[(*len)++] = (uint8_t)message;
}

/* Take the message at `place` out. */
static unsigned take(uint8_t *queue, uint8_t *len, unsigned place)
{
    unsigned message = queue[place];
    --*len;
    memmove(queue + place, queue + place + 1, *len - place);
    queue[*len] = 0;
    return message;
}

static void receive_message(State *s)
{
    unsigned message = take(s->msgQ, &s->msgQ_len, 0);
    s->rBit = message & 1;
    s->rcvd = (uint8_t)(message >> 1);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned witness = event->data[0];
    State *s = state;
    (void)node;
    switch (event->id) {
    case SND_NEW_VALUE:
        s->sent = (uint8_t)witness;
        s->sBit ^= 1;
        append(s->msgQ, &s->msgQ_len, 2u * s->sent + s->sBit, out);
        break;
    case RE_SND_MSG:
        append(s->msgQ, &s->msgQ_len, 2u * s->sent + s->sBit, out);
        break;
    case RCV_MSG:
        receive_message(s);
        break;
    case SND_ACK:
        append(s->ackQ, &s->ackQ_len, s->rBit, out);
        break;
    case RCV_ACK:
        s->sAck = (uint8_t)take(s->ackQ, &s->ackQ_len, 0);
        break;
    case LOSE_MSG:
        take(s->msgQ, &s->msgQ_len, witness);
        break;
    default:
        take(s->ackQ, &s->ackQ_len, witness);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "AlternatingBit",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
