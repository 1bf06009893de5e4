/* Paxos for one decision: L. Lamport, "The part-time parliament", ACM Transactions on Computer
 * Systems 16(2), 1998; the specification Paxos (github tlaplus/Examples, specifications/Paxos)
 * with three acceptors, whose quorums are the three pairs. Messages are never removed, so that
 * sending or receiving one again is a step to the same state. Phase 2a has one action for each
 * ballot and value, however many quorums allow it.
 *
 * BALLOTS=4 VALUES=2: 8220065 distinct and 67903141 generated states, depth 33. */

#include "../../calibration/actions.h"
#include "../sets.h"
#include "paxos_ballots.h"

enum { PHASE_1A, PHASE_1B, PHASE_2A, PHASE_2B };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* The ballots that acceptor a took part in. */
static unsigned took_part(const PaxosBallots *s, unsigned a)
{
    return s->sent_1b[a] | s->sent_2b[a];
}

static void list_1b(Actions *to, const PaxosBallots *s)
{
    for (unsigned a = 0; a < ACCEPTORS; a++)
        for (unsigned set = s->sent_1a; set; set &= set - 1)
            if (took_part(s, a) >> first_of(set) == 0)
                act1(to, PHASE_1B, a, first_of(set));
}

/* The quorum is two acceptors that have promised ballot b. Either none of them had voted, or the
 * last vote binds. */
static void list_2a(Actions *to, const PaxosBallots *s, unsigned values, unsigned b)
{
    bool free = false;
    unsigned binding = 0;

    for (unsigned i = 0; i < ACCEPTORS; i++) {
        const unsigned j = (i + 1) % ACCEPTORS;
        const unsigned votes = (s->sent_2b[i] | s->sent_2b[j]) & ((1u << b) - 1);
        if (!((s->sent_1b[i] & s->sent_1b[j]) >> b & 1))
            continue;
        if (votes)
            binding |= 1u << last_of(votes);
        else
            free = true;
    }
    for (unsigned v = 0; v < values; v++)
        if (free || s->sent_2a[v] & binding)
            act1(to, PHASE_2A, b, v);
}

static void list_2b(Actions *to, const PaxosBallots *s, unsigned proposed)
{
    for (unsigned a = 0; a < ACCEPTORS; a++)
        for (unsigned set = proposed; set; set &= set - 1)
            if (took_part(s, a) >> first_of(set) <= 1)
                act1(to, PHASE_2B, a, first_of(set));
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const unsigned ballots = node->settings[BALLOTS], values = node->settings[VALUES];
    const PaxosBallots *s = state;
    unsigned proposed = 0;
    Actions to = {actions, cap, 0};

    for (unsigned v = 0; v < values; v++)
        proposed |= s->sent_2a[v];
    for (unsigned b = 0; b < ballots; b++)
        act(&to, PHASE_1A, b);
    list_1b(&to, s);
    for (unsigned b = 0; b < ballots; b++)
        if (!(proposed >> b & 1))
            list_2a(&to, s, values, b);
    list_2b(&to, s, proposed);
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const unsigned first = event->peer, second = event->data[0];
    PaxosBallots *s = state;

    (void)node, (void)out;
    switch (event->id) {
    case PHASE_1A:
        s->sent_1a |= (uint8_t)(1u << first);
        break;
    case PHASE_1B:
        s->sent_1b[first] |= (uint8_t)(1u << second);
        break;
    case PHASE_2A:
        s->sent_2a[second] |= (uint8_t)(1u << first);
        break;
    default:
        s->sent_2b[first] |= (uint8_t)(1u << second);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "paxos_ballots",
    .state_size = sizeof(PaxosBallots),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
