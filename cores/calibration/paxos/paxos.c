/* Single-decree Paxos with messages (L. Lamport, The Part-Time Parliament, ACM TOCS 16(2), 1998),
 * as L. Lamport specified it (github tlaplus/Examples, specifications/PaxosHowToWinATuringAward).
 * Quorums are the smallest majorities.
 *
 * Default (3 acceptors, 2 values, ballots 0 and 1), with a deadlock check: Inv holds; 3921 distinct
 * and 23563 generated states, depth 17. */

#include "../actions.h"
#include "paxos.h"

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* The votes that the 1b messages of a quorum for one ballot tell of. */
typedef struct Told {
    /* Members that sent a message. */
    unsigned senders;
    /* The largest mbal, and how many messages have it together with the value in question. */
    unsigned largest, with_value;
} Told;

static Told ask(const uint8_t *k, const State *s, unsigned quorum, unsigned bal, unsigned val)
{
    Told told = {0, 0, 0};
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        for (unsigned mbal = 0; quorum >> a & 1 && mbal <= k[BALLOTS]; mbal++)
            for (unsigned mval = 0; mval <= k[VALUES]; mval++) {
                if (!bits_has(s->msgs, msg1b(k, a, bal, mbal, mval)))
                    continue;
                told.senders |= 1u << a;
                if (mbal > told.largest) {
                    told.largest = mbal;
                    told.with_value = 0;
                }
                told.with_value += mbal == told.largest && mval == val;
            }
    return told;
}

/* One action for each quorum and each of its messages that shows that the value is safe. */
static void list_phase_2a(Actions *to, const uint8_t *k, const State *s, unsigned bal, unsigned val)
{
    for (unsigned v = 1; v <= k[VALUES]; v++)
        if (bits_has(s->msgs, msg2a(k, bal, v)))
            return;
    for (unsigned quorum = 1; quorum < 1u << k[ACCEPTORS]; quorum++) {
        if (!is_quorum(k, quorum))
            continue;
        Told told = ask(k, s, quorum, bal, val);
        unsigned witnesses = told.senders != quorum ? 0 : told.largest ? told.with_value : 1;
        while (witnesses-- > 0)
            act2(to, PHASE_2A, 0, bal, val);
    }
}

static void list_acceptor(Actions *to, const uint8_t *k, const State *s, unsigned a)
{
    for (unsigned bal = s->maxBal[a] + 1u; bal <= k[BALLOTS]; bal++)
        if (bits_has(s->msgs, msg1a(k, bal)))
            act1(to, PHASE_1B, a, bal);
    for (unsigned bal = 1; bal <= k[BALLOTS]; bal++)
        for (unsigned val = 1; bal >= s->maxBal[a] && val <= k[VALUES]; val++)
            if (bits_has(s->msgs, msg2a(k, bal, val)))
                act2(to, PHASE_2B, a, bal, val);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    Actions to = {actions, cap, 0};
    for (unsigned bal = 1; bal <= k[BALLOTS]; bal++) {
        act1(&to, PHASE_1A, 0, bal);
        for (unsigned val = 1; val <= k[VALUES]; val++)
            list_phase_2a(&to, k, state, bal, val);
    }
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        list_acceptor(&to, k, state, a);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings;
    uint8_t a = event->peer, bal = event->data[0], val = event->data[1];
    State *s = state;
    (void)out;
    switch (event->id) {
    case PHASE_1A:
        bits_add(s->msgs, msg1a(k, bal));
        break;
    case PHASE_2A:
        bits_add(s->msgs, msg2a(k, bal, val));
        break;
    case PHASE_1B:
        s->maxBal[a] = bal;
        bits_add(s->msgs, msg1b(k, a, bal, s->maxVBal[a], s->maxVal[a]));
        break;
    default:
        s->maxBal[a] = s->maxVBal[a] = bal;
        s->maxVal[a] = val;
        bits_add(s->msgs, msg2b(k, a, bal, val));
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Paxos",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
