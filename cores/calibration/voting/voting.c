/* Consensus by votes that all acceptors see, the algorithm that Paxos implements, as L. Lamport
 * specified it (github tlaplus/Examples, specifications/PaxosHowToWinATuringAward). Quorums are the
 * smallest majorities.
 *
 * Default (3 acceptors, 2 values, ballots 0 to 2), without a deadlock check: Inv holds; 6752
 * distinct and 41017 generated states, depth 16. */

#include "../actions.h"
#include "voting.h"

enum { INCREASE_MAX_BAL, VOTE_FOR };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* a may vote for v at b as far as votes at b go. */
static bool can_vote(const uint8_t *k, const State *s, unsigned a, unsigned b, unsigned v)
{
    if (s->maxBal[a] > b + 1 || votes_at(s, a, b) != 0)
        return false;
    for (unsigned other = 0; other < k[ACCEPTORS]; other++)
        if (votes_at(s, other, b) & ~(1u << v))
            return false;
    return true;
}

static bool all_are_at(const uint8_t *k, const State *s, unsigned quorum, unsigned b)
{
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (quorum >> a & 1 && s->maxBal[a] < b + 1)
            return false;
    return true;
}

static bool any_voted_at(const uint8_t *k, const State *s, unsigned quorum, unsigned b)
{
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (quorum >> a & 1 && votes_at(s, a, b) != 0)
            return true;
    return false;
}

/* How often the members of `quorum` show that v is safe at b: once for each member that voted for v
 * at the last ballot below b at which any voted, or once if none did. */
static unsigned shows_safe_at(const uint8_t *k, const State *s, unsigned quorum, unsigned b,
                              unsigned v)
{
    unsigned witnesses = 0;
    if (!all_are_at(k, s, quorum, b))
        return 0;
    for (unsigned c = b; c-- > 0;) {
        for (unsigned a = 0; a < k[ACCEPTORS]; a++)
            witnesses += quorum >> a & 1 && voted_for(s, a, c, v);
        if (any_voted_at(k, s, quorum, c))
            return witnesses;
    }
    return witnesses + 1;
}

/* One action for each witness of each quorum. */
static void list_vote(Actions *to, const uint8_t *k, const State *s, unsigned a, unsigned b,
                      unsigned v)
{
    if (!can_vote(k, s, a, b, v))
        return;
    for (unsigned quorum = 1; quorum < 1u << k[ACCEPTORS]; quorum++) {
        unsigned witnesses = is_quorum(k, quorum) ? shows_safe_at(k, s, quorum, b, v) : 0;
        while (witnesses-- > 0)
            act2(to, VOTE_FOR, a, b, v);
    }
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        for (unsigned b = 0; b < k[BALLOTS]; b++) {
            if (b + 1 > s->maxBal[a])
                act1(&to, INCREASE_MAX_BAL, a, b);
            for (unsigned v = 0; v < k[VALUES]; v++)
                list_vote(&to, k, s, a, b, v);
        }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned a = event->peer, b = event->data[0];
    State *s = state;
    (void)node, (void)out;
    s->maxBal[a] = (uint8_t)(b + 1);
    if (event->id == VOTE_FOR)
        s->votes[a] |= (uint16_t)vote(b, event->data[1]);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "Voting",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
