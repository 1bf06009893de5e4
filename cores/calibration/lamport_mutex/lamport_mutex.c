/* Mutual exclusion with logical clocks: L. Lamport, Time, Clocks, and the Ordering of Events in a
 * Distributed System, Communications of the ACM 21(7), 1978, as S. Merz specified it (github
 * tlaplus/Examples, specifications/lamport_mutex).
 *
 * Default (N=3 maxClock=6), with a deadlock check and the state constraint: TypeOK, BoundedNetwork
 * and Mutex hold; 724274 distinct and 2729079 generated states, depth 61. */

#include "../actions.h"
#include "lamport_mutex.h"

enum { REQUEST_CS, ENTER, EXIT, RECEIVE };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    (void)index, (void)out;
    for (unsigned p = 0; p < node->settings[N]; p++)
        s->clock[p] = 1;
}

/* p's request is before q's, if q has one that p knows of. */
static bool beats(const State *s, unsigned p, unsigned q)
{
    unsigned own = s->req[p][p], other = s->req[p][q];
    return other == 0 || own < other || (own == other && p < q);
}

static bool may_enter(const uint8_t *k, const State *s, unsigned p)
{
    if (s->ack[p] != (1u << k[N]) - 1)
        return false;
    for (unsigned q = 0; q < k[N]; q++)
        if (q != p && !beats(s, p, q))
            return false;
    return true;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned p = 0; p < k[N]; p++) {
        if (s->req[p][p] == 0)
            act(&to, REQUEST_CS, p);
        if (may_enter(k, s, p))
            act(&to, ENTER, p);
        if (s->crit >> p & 1)
            act(&to, EXIT, p);
    }
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < k[N]; q++)
            if (s->network[q][p])
                act1(&to, RECEIVE, p, q);
    return to.count;
}

static void send_message(State *s, unsigned from, unsigned to, unsigned message, CmcOut *out)
{
    Channel *channel = &s->network[from][to];
    unsigned len = length(*channel);
    if (len == 4 || message > 15)
        outgrown(out);
    else
        *channel |= (Channel)(message << 4 * len);
}

static void broadcast(const uint8_t *k, State *s, unsigned p, unsigned message, CmcOut *out)
{
    for (unsigned q = 0; q < k[N]; q++)
        if (q != p)
            send_message(s, p, q, message, out);
}

static void receive_request(State *s, unsigned p, unsigned q, unsigned clock, CmcOut *out)
{
    s->req[p][q] = (uint8_t)clock;
    s->clock[p] = (uint8_t)((clock > s->clock[p] ? clock : s->clock[p]) + 1);
    send_message(s, p, q, ACK, out);
}

static void receive(State *s, unsigned p, unsigned q, CmcOut *out)
{
    unsigned message = head(s->network[q][p]);
    s->network[q][p] >>= 4;
    switch (message) {
    case ACK:
        s->ack[p] |= (uint8_t)(1u << q);
        break;
    case REL:
        s->req[p][q] = 0;
        break;
    default:
        receive_request(s, p, q, message - REQUEST, out);
        break;
    }
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    unsigned p = event->peer;
    State *s = state;
    switch (event->id) {
    case REQUEST_CS:
        s->req[p][p] = s->clock[p];
        s->ack[p] = (uint8_t)(1u << p);
        broadcast(k, s, p, (unsigned)REQUEST + s->clock[p], out);
        break;
    case ENTER:
        s->crit |= (uint8_t)(1u << p);
        break;
    case EXIT:
        s->crit &= (uint8_t) ~(1u << p);
        s->req[p][p] = 0;
        s->ack[p] = 0;
        broadcast(k, s, p, REL, out);
        break;
    default:
        receive(s, p, event->data[0], out);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "LamportMutex",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
