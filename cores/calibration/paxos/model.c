/* The parameters, invariant and traces of Paxos. */

#include "../predicates.h"
#include "../text.h"
#include "paxos.h"

static bool voted_for(const uint8_t *k, const State *s, unsigned a, unsigned bal, unsigned val)
{
    return bits_has(s->msgs, msg2b(k, a, bal, val));
}

static bool voted_at(const uint8_t *k, const State *s, unsigned a, unsigned bal)
{
    for (unsigned val = 1; val <= k[VALUES]; val++)
        if (voted_for(k, s, a, bal, val))
            return true;
    return false;
}

static bool type_ok(const uint8_t *k, const State *s)
{
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (s->maxBal[a] > k[BALLOTS] || s->maxVBal[a] > k[BALLOTS] || s->maxVal[a] > k[VALUES])
            return false;
    return true;
}

/* What an acceptor remembers is a vote of its own, and not newer than its promise. */
static bool memory_is_sound(const uint8_t *k, const State *s, unsigned a)
{
    if (s->maxBal[a] < s->maxVBal[a])
        return false;
    if (s->maxVBal[a] == 0 || s->maxVal[a] == 0)
        return s->maxVBal[a] == 0 && s->maxVal[a] == 0;
    return voted_for(k, s, a, s->maxVBal[a], s->maxVal[a]);
}

static bool is_1b_sound(const uint8_t *k, const State *s, unsigned a, unsigned bal, unsigned mbal,
                        unsigned mval)
{
    if (!bits_has(s->msgs, msg1b(k, a, bal, mbal, mval)))
        return true;
    if (s->maxBal[a] < bal)
        return false;
    return mbal == 0 || (mval != 0 && voted_for(k, s, a, mbal, mval));
}

static bool are_1b_sound(const uint8_t *k, const State *s, unsigned a)
{
    for (unsigned bal = 1; bal <= k[BALLOTS]; bal++)
        for (unsigned mbal = 0; mbal <= k[BALLOTS]; mbal++)
            for (unsigned mval = 0; mval <= k[VALUES]; mval++)
                if (!is_1b_sound(k, s, a, bal, mbal, mval))
                    return false;
    return true;
}

/* At `bal`, some member of the quorum voted for val, or none is there that voted; and so at no
 * ballot between that and the one in question. */
static bool shows_safe_at(const uint8_t *k, const State *s, unsigned quorum, unsigned bal,
                          unsigned val)
{
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (quorum >> a & 1 && s->maxBal[a] < bal)
            return false;
    for (unsigned c = bal; c-- > 1;) {
        bool any = false, for_value = false;
        for (unsigned a = 0; a < k[ACCEPTORS]; a++)
            if (quorum >> a & 1) {
                any |= voted_at(k, s, a, c);
                for_value |= voted_for(k, s, a, c, val);
            }
        if (any || for_value)
            return for_value;
    }
    return true;
}

static bool is_2a_sound(const uint8_t *k, const State *s, unsigned bal, unsigned val)
{
    bool safe = false;
    if (!bits_has(s->msgs, msg2a(k, bal, val)))
        return true;
    for (unsigned other = 1; other <= k[VALUES]; other++)
        if (other != val && bits_has(s->msgs, msg2a(k, bal, other)))
            return false;
    for (unsigned quorum = 1; quorum < 1u << k[ACCEPTORS]; quorum++)
        safe |= is_quorum(k, quorum) && shows_safe_at(k, s, quorum, bal, val);
    return safe;
}

static bool is_2b_sound(const uint8_t *k, const State *s, unsigned a, unsigned bal, unsigned val)
{
    return !voted_for(k, s, a, bal, val) ||
           (s->maxVBal[a] >= bal && bits_has(s->msgs, msg2a(k, bal, val)));
}

static bool inv(const uint8_t *k, const void *state)
{
    const State *s = state;
    if (!type_ok(k, s))
        return false;
    for (unsigned a = 0; a < k[ACCEPTORS]; a++)
        if (!memory_is_sound(k, s, a) || !are_1b_sound(k, s, a))
            return false;
    for (unsigned bal = 1; bal <= k[BALLOTS]; bal++)
        for (unsigned val = 1; val <= k[VALUES]; val++) {
            if (!is_2a_sound(k, s, bal, val))
                return false;
            for (unsigned a = 0; a < k[ACCEPTORS]; a++)
                if (!is_2b_sound(k, s, a, bal, val))
                    return false;
        }
    return true;
}

static const Predicate invariants[] = {
    {"Inv", inv},
};

static void add_value(Text *to, unsigned val)
{
    if (val)
        text_add(to, "v%u", val);
    else
        text_add(to, "none");
}

static void add_ballot_messages(Text *to, const uint8_t *k, const State *s, unsigned bal)
{
    if (bits_has(s->msgs, msg1a(k, bal)))
        text_add(to, " 1a(%u)=sent", bal - 1);
    for (unsigned val = 1; val <= k[VALUES]; val++)
        if (bits_has(s->msgs, msg2a(k, bal, val)))
            text_add(to, " 2a(%u,v%u)=sent", bal - 1, val);
}

static void add_acceptor_messages(Text *to, const uint8_t *k, const State *s, unsigned a,
                                  unsigned bal)
{
    for (unsigned mbal = 0; mbal <= k[BALLOTS]; mbal++)
        for (unsigned mval = 0; mval <= k[VALUES]; mval++) {
            if (!bits_has(s->msgs, msg1b(k, a, bal, mbal, mval)))
                continue;
            text_add(to, " 1b(a%u,%u,%d,", a + 1, bal - 1, (int)mbal - 1);
            add_value(to, mval);
            text_add(to, ")=sent");
        }
    for (unsigned val = 1; val <= k[VALUES]; val++)
        if (voted_for(k, s, a, bal, val))
            text_add(to, " 2b(a%u,%u,v%u)=sent", a + 1, bal - 1, val);
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Text to = {text, cap, 0};
    for (unsigned a = 0; a < k[ACCEPTORS]; a++) {
        text_space(&to);
        text_add(&to, "maxBal[a%u]=%d maxVBal[a%u]=%d maxVal[a%u]=", a + 1, s->maxBal[a] - 1, a + 1,
                 s->maxVBal[a] - 1, a + 1);
        add_value(&to, s->maxVal[a]);
    }
    for (unsigned bal = 1; bal <= k[BALLOTS]; bal++) {
        add_ballot_messages(&to, k, s, bal);
        for (unsigned a = 0; a < k[ACCEPTORS]; a++)
            add_acceptor_messages(&to, k, s, a, bal);
    }
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "Phase1a(%u)",
        "Phase2a(%u,v%u)",
        "Phase1b(a%u,%u)",
        "Phase2b(a%u,%u,v%u)",
    };
    unsigned bal = action->data[0] - 1u;
    Text to = {text, cap, 0};
    (void)node;
    if (action->id < PHASE_1B)
        text_add(&to, names[action->id], bal, action->data[1]);
    else
        text_add(&to, names[action->id], action->peer + 1u, bal, action->data[1]);
    return to.len;
}

/* The messages fit into the state. */
static bool fits(const uint8_t *k)
{
    return msg1b(k, k[ACCEPTORS] - 1u, k[BALLOTS], k[BALLOTS], k[VALUES]) < 64 * WORDS;
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
    [ACCEPTORS] = {"Acceptors", 3, 1, MAX_ACCEPTORS, "acceptors"},
    [VALUES] = {"Values", 2, 1, MAX_VALUES, "values"},
    [BALLOTS] = {"Ballots", 2, 1, MAX_BALLOTS, "ballots"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
