/* Paxos Commit: J. Gray and L. Lamport, Consensus on Transaction Commit, ACM TODS 31(1), 2006. One
 * instance of Paxos for each resource manager says whether it has prepared. Counts: module
 * PaxosCommit by L. Lamport, github tlaplus/Examples, specifications/transaction_commit.
 *
 * Default (RM=2 Acceptors=3 Ballots=2), with a deadlock check: PCTypeOK and TCConsistent hold;
 * 1321761 distinct and 16959159 generated states, depth 28. */

#include "../../calibration/actions.h"
#include "paxos_commit.h"

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void list_rm(Actions *to, const State *s, unsigned r)
{
    if (s->rmState[r] == WORKING)
        act(to, RM_PREPARE, r);
    if (s->rmState[r] == WORKING)
        act(to, RM_CHOOSE_TO_ABORT, r);
    if (bits_has(s->msgs, COMMIT))
        act(to, RM_RCV_COMMIT_MSG, r);
    if (bits_has(s->msgs, ABORT))
        act(to, RM_RCV_ABORT_MSG, r);
}

/* The vote that is told in a phase 1b message of acceptor `acc`, if it sent one. */
static bool find_phase1b(const uint8_t *k, const State *s, unsigned ins, unsigned acc,
                         unsigned mbal, Acceptor *vote)
{
    for (unsigned bal = 0; bal <= k[BALLOTS]; bal++)
        for (unsigned val = NONE; val < VALS; val++) {
            Acceptor told = {0, (uint8_t)bal, (uint8_t)val};
            if (bits_has(s->msgs, phase1b(k, ins, acc, mbal, told))) {
                *vote = told;
                return true;
            }
        }
    return false;
}

/* What a leader may propose by the answers of a majority: the newest vote, `aborted` if there is
 * none, or nothing yet, which is NONE. */
static unsigned proposal(const uint8_t *k, const State *s, unsigned ins, unsigned bal,
                         unsigned majority)
{
    Acceptor newest = {0, 0, VAL_ABORTED};
    for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++) {
        Acceptor vote;
        if (!(majority >> acc & 1))
            continue;
        if (!find_phase1b(k, s, ins, acc, bal, &vote))
            return NONE;
        if (vote.bal > newest.bal)
            newest = vote;
    }
    return newest.val;
}

static void list_leader(Actions *to, const uint8_t *k, const State *s, unsigned bal, unsigned ins)
{
    act2(to, PHASE_1A, ins, bal, 0);
    if (bits_has(s->msgs, phase2a(k, ins, bal, VAL_PREPARED)) ||
        bits_has(s->msgs, phase2a(k, ins, bal, VAL_ABORTED)))
        return;
    for (unsigned majority = 1; majority < 1u << k[ACCEPTORS]; majority++) {
        unsigned val = is_majority(k, majority) ? proposal(k, s, ins, bal, majority) : NONE;
        if (val != NONE)
            act2(to, PHASE_2A, ins, bal, val);
    }
}

/* In how many ways an instance has decided: ballots and majorities. */
static unsigned decided(const uint8_t *k, const State *s, unsigned ins, unsigned val)
{
    unsigned ways = 0;
    for (unsigned bal = 0; bal < k[BALLOTS]; bal++) {
        unsigned voters = 0;
        for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++)
            voters |= (unsigned)bits_has(s->msgs, phase2b(k, ins, acc, bal, val)) << acc;
        for (unsigned majority = 1; majority < 1u << k[ACCEPTORS]; majority++)
            if (is_majority(k, majority) && (majority & ~voters) == 0)
                ways++;
    }
    return ways;
}

/* One action for each way in which all have prepared, and each in which one has aborted. */
static void list_decide(Actions *to, const uint8_t *k, const State *s)
{
    unsigned ways = 1;
    for (unsigned r = 0; r < k[RM]; r++)
        ways *= decided(k, s, r, VAL_PREPARED);
    while (ways-- > 0)
        act(to, DECIDE_COMMIT, 0);
    for (unsigned r = 0; r < k[RM]; r++)
        for (ways = decided(k, s, r, VAL_ABORTED); ways > 0; ways--)
            act(to, DECIDE_ABORT, 0);
}

static void list_phase_2b(Actions *to, const uint8_t *k, const State *s, unsigned acc, unsigned ins,
                          unsigned bal)
{
    for (unsigned val = VAL_PREPARED; val < VALS; val++)
        if (bits_has(s->msgs, phase2a(k, ins, bal, val)) && s->aState[ins][acc].mbal <= bal)
            act3(to, PHASE_2B, acc, ins, bal, val);
}

static void list_acceptor(Actions *to, const uint8_t *k, const State *s, unsigned acc)
{
    for (unsigned ins = 0; ins < k[RM]; ins++)
        for (unsigned bal = 0; bal < k[BALLOTS]; bal++)
            if (bits_has(s->msgs, phase1a(k, ins, bal)) && s->aState[ins][acc].mbal < bal)
                act2(to, PHASE_1B, acc, ins, bal);
    for (unsigned ins = 0; ins < k[RM]; ins++)
        for (unsigned bal = 0; bal < k[BALLOTS]; bal++)
            list_phase_2b(to, k, s, acc, ins, bal);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned r = 0; r < k[RM]; r++)
        list_rm(&to, s, r);
    for (unsigned bal = 1; bal < k[BALLOTS]; bal++)
        for (unsigned r = 0; r < k[RM]; r++)
            list_leader(&to, k, s, bal, r);
    list_decide(&to, k, s);
    for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++)
        list_acceptor(&to, k, s, acc);
    return to.count;
}

/* A resource manager leads ballot 0 of its own instance. */
static void choose(const uint8_t *k, State *s, unsigned r, uint8_t becomes, unsigned val)
{
    s->rmState[r] = becomes;
    bits_add(s->msgs, phase2a(k, r, 0, val));
}

static void promise(const uint8_t *k, State *s, unsigned acc, unsigned ins, uint8_t bal)
{
    Acceptor *a = &s->aState[ins][acc];
    bits_add(s->msgs, phase1b(k, ins, acc, bal, *a));
    a->mbal = bal;
}

static void accept(const uint8_t *k, State *s, unsigned acc, unsigned ins, uint8_t bal, uint8_t val)
{
    s->aState[ins][acc] = (Acceptor){bal, (uint8_t)(bal + 1), val};
    bits_add(s->msgs, phase2b(k, ins, acc, bal, val));
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const uint8_t *k = node->settings, *witness = event->data;
    unsigned who = event->peer;
    State *s = state;
    (void)out;
    switch (event->id) {
    case RM_PREPARE:
        choose(k, s, who, PREPARED, VAL_PREPARED);
        break;
    case RM_CHOOSE_TO_ABORT:
        choose(k, s, who, ABORTED, VAL_ABORTED);
        break;
    case RM_RCV_COMMIT_MSG:
        s->rmState[who] = COMMITTED;
        break;
    case RM_RCV_ABORT_MSG:
        s->rmState[who] = ABORTED;
        break;
    case PHASE_1A:
        bits_add(s->msgs, phase1a(k, who, witness[0]));
        break;
    case PHASE_2A:
        bits_add(s->msgs, phase2a(k, who, witness[0], witness[1]));
        break;
    case DECIDE_COMMIT:
        bits_add(s->msgs, COMMIT);
        break;
    case DECIDE_ABORT:
        bits_add(s->msgs, ABORT);
        break;
    case PHASE_1B:
        promise(k, s, who, witness[0], witness[1]);
        break;
    default:
        accept(k, s, who, witness[0], witness[1], witness[2]);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "PaxosCommit",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
