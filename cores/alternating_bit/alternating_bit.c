/* The alternating bit protocol: K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson, "A note on
 * reliable full-duplex transmission over half-duplex links", CACM 12(5), 1969.
 *
 * Node 0 sends what its client gives it, one message at a time, until it is acknowledged; node 1
 * hands on what it has not seen. One bit tells a new message from the last one sent again, which is
 * enough where the network loses and keeps the order. It is not enough where a message may be
 * overtaken (network=bag), nor when a node forgets its bit (crashes=1).
 *
 * expect: verdict=pass distinct=13621 generated=53708 depth=40
 * expect: set=drops=0 verdict=pass distinct=4081 generated=13554 depth=33
 * expect: set=drops=3,clients.0=4 verdict=pass distinct=8037 generated=30945 depth=37
 * expect: set=capacity=4 verdict=pass distinct=3109 generated=11312 depth=32
 * expect: set=network=bag verdict=violated property="messages are delivered once and in order" trace_len=8 distinct=138 generated=275 depth=8 simulate_seed=1
 * expect: set=crashes=1 verdict=violated property="messages are delivered once and in order" trace_len=7 distinct=258 generated=525 depth=7 simulate_seed=1
 * expect: bug=1 verdict=violated property="an acknowledged message has been delivered" trace_len=8 distinct=139 generated=287 depth=8 simulate_seed=1
 * expect: bug=2 verdict=violated property="messages are delivered once and in order" trace_len=5 distinct=19 generated=25 depth=5 simulate_seed=1
 */

#include <cmc.h>

#include "alternating_bit.h"

enum { RETRANSMIT = 0 };

static void transmit(const AlternatingBit *self, CmcOut *out)
{
    Frame frame = { .bit = self->bit, .message = self->acknowledged };

    cmc_send(out, RECEIVER, &frame, sizeof frame);
    cmc_arm(out, RETRANSMIT);
}

static void take_from_client(AlternatingBit *self, CmcOut *out)
{
    bool idle = self->given == self->acknowledged;

    self->given++;
    if (idle)
        transmit(self, out);
}

static void take_ack(AlternatingBit *self, const CmcEvent *event, CmcOut *out)
{
    Ack ack;

    memcpy(&ack, event->data, sizeof ack);
#if BUG == 1 /* Any acknowledgement is taken for that of the message under way. */
    bool awaited = self->given > self->acknowledged;
#else
    bool awaited = self->given > self->acknowledged && ack.bit == self->bit;
#endif
    if (!awaited)
        return;

    self->acknowledged++;
    self->bit ^= 1;
    if (self->acknowledged < self->given)
        transmit(self, out);
    else
        cmc_cancel(out, RETRANSMIT);
}

static void step_sender(AlternatingBit *self, const CmcEvent *event, CmcOut *out)
{
    switch (event->kind) {
    case CMC_EV_CLIENT:
        take_from_client(self, out);
        break;
    case CMC_EV_MESSAGE:
        take_ack(self, event, out);
        break;
    case CMC_EV_TIMER:
        transmit(self, out);
        break;
    default: /* What a reset connection loses, the timer sends again. */
        break;
    }
}

static void take_frame(AlternatingBit *self, const CmcEvent *event, CmcOut *out)
{
    Frame frame;

    memcpy(&frame, event->data, sizeof frame);
#if BUG == 2 /* A message that was sent again is handed on again. */
    bool fresh = true;
#else
    bool fresh = frame.bit == self->expected;
#endif
    if (fresh) {
        cmc_reply(out, &frame.message, sizeof frame.message);
        self->expected = !frame.bit;
    }

    /* An old frame too: it comes again because its acknowledgement was lost. */
    cmc_send(out, SENDER, &(Ack){ .bit = frame.bit }, sizeof(Ack));
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    if (node->id == SENDER)
        step_sender(state, event, out);
    else if (node->id == RECEIVER && event->kind == CMC_EV_MESSAGE)
        take_frame(state, event, out);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "alternating_bit",
    .state_size = sizeof(AlternatingBit),
    .init = init,
    .step = step,
};
