/* The parameters, invariants and traces of PaxosCommit. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "paxos_commit.h"

static bool pc_type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned r = 0; r < k[RM]; r++) {
        if (s->rmState[r] > ABORTED)
            return false;
        for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++) {
            Acceptor a = s->aState[r][acc];
            if (a.mbal >= k[BALLOTS] || a.bal > k[BALLOTS] || a.val >= VALS)
                return false;
        }
    }
    return true;
}

static bool tc_consistent(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned r = 0; r < k[RM]; r++)
        for (unsigned q = 0; q < k[RM]; q++)
            if (s->rmState[r] == ABORTED && s->rmState[q] == COMMITTED)
                return false;
    return true;
}

static const Predicate invariants[] = {
    {"PCTypeOK", pc_type_ok},
    {"TCConsistent", tc_consistent},
};

static const char *const vals[] = {"none", "prepared", "aborted"};

static void add_phase1b(Text *to, const uint8_t *k, const State *s, unsigned r, unsigned acc,
                        unsigned mbal)
{
    for (unsigned bal = 0; bal <= k[BALLOTS]; bal++)
        for (unsigned val = NONE; val < VALS; val++) {
            Acceptor vote = {0, (uint8_t)bal, (uint8_t)val};
            if (bits_has(s->msgs, phase1b(k, r, acc, mbal, vote)))
                text_add(to, " 1b(r%u,a%u,%u,%d,%s)=sent", r + 1, acc + 1, mbal, (int)bal - 1,
                         vals[val]);
        }
}

static void add_messages(Text *to, const uint8_t *k, const State *s, unsigned r, unsigned bal)
{
    if (bits_has(s->msgs, phase1a(k, r, bal)))
        text_add(to, " 1a(r%u,%u)=sent", r + 1, bal);
    for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++)
        add_phase1b(to, k, s, r, acc, bal);
    for (unsigned val = VAL_PREPARED; val < VALS; val++) {
        if (bits_has(s->msgs, phase2a(k, r, bal, val)))
            text_add(to, " 2a(r%u,%u,%s)=sent", r + 1, bal, vals[val]);
        for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++)
            if (bits_has(s->msgs, phase2b(k, r, acc, bal, val)))
                text_add(to, " 2b(r%u,a%u,%u,%s)=sent", r + 1, acc + 1, bal, vals[val]);
    }
}

static void add_rm(Text *to, const uint8_t *k, const State *s, unsigned r)
{
    static const char *const states[] = {"working", "prepared", "committed", "aborted"};
    text_space(to);
    text_add(to, "rmState[r%u]=%s", r + 1, states[s->rmState[r]]);
    for (unsigned acc = 0; acc < k[ACCEPTORS]; acc++) {
        Acceptor a = s->aState[r][acc];
        text_add(to, " aState[r%u][a%u]=[mbal=%u,bal=%d,val=%s]", r + 1, acc + 1, a.mbal, a.bal - 1,
                 vals[a.val]);
    }
    for (unsigned bal = 0; bal < k[BALLOTS]; bal++)
        add_messages(to, k, s, r, bal);
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned r = 0; r < node->settings[RM]; r++)
        add_rm(&to, node->settings, s, r);
    if (bits_has(s->msgs, COMMIT))
        text_add(&to, " Commit=sent");
    if (bits_has(s->msgs, ABORT))
        text_add(&to, " Abort=sent");
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    const uint8_t *witness = action->data;
    unsigned who = action->peer + 1u;
    Text to = {text, cap, 0};
    (void)node;
    switch (action->id) {
    case RM_PREPARE:
        text_add(&to, "RMPrepare(r%u)", who);
        break;
    case RM_CHOOSE_TO_ABORT:
        text_add(&to, "RMChooseToAbort(r%u)", who);
        break;
    case RM_RCV_COMMIT_MSG:
        text_add(&to, "RMRcvCommitMsg(r%u)", who);
        break;
    case RM_RCV_ABORT_MSG:
        text_add(&to, "RMRcvAbortMsg(r%u)", who);
        break;
    case PHASE_1A:
        text_add(&to, "Phase1a(%u,r%u)", witness[0], who);
        break;
    case PHASE_2A:
        text_add(&to, "Phase2a(%u,r%u,%s)", witness[0], who, vals[witness[1]]);
        break;
    case PHASE_1B:
        text_add(&to, "Phase1b(a%u,r%u,%u)", who, witness[0] + 1u, witness[1]);
        break;
    case PHASE_2B:
        text_add(&to, "Phase2b(a%u,r%u,%u,%s)", who, witness[0] + 1u, witness[1], vals[witness[2]]);
        break;
    default:
        text_add(&to, "PCDecide(%s)", action->id == DECIDE_COMMIT ? "Commit" : "Abort");
        break;
    }
    return to.len;
}

/* The messages fit into the state. */
static bool fits(const uint8_t *k)
{
    Acceptor last = {0, k[BALLOTS], VAL_ABORTED};
    return phase1b(k, k[RM] - 1u, k[ACCEPTORS] - 1u, k[BALLOTS] - 1u, last) < 64 * WORDS;
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = format_state,
    .action = format_action,
};

static int describe(CmcModel *model)
{
    const uint8_t *k;
    size_t len;
    CmcStatus status = cmc_model_settings(model, &k, &len);
    if (status == CMC_OK && !fits(k))
        status = CMC_ERR_ARGUMENT;
    if (status != CMC_OK)
        return status;
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [RM] = {"RM", 2, 1, MAX_RM, "resource managers"},
    [ACCEPTORS] = {"Acceptors", 3, 1, MAX_ACCEPTORS, "acceptors"},
    [BALLOTS] = {"Ballots", 2, 1, MAX_BALLOTS, "ballots"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
