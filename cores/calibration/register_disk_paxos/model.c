/* The parameters, invariants and traces of register Disk Paxos. Agreement and Inv1 to Inv4 are the
 * specification's; the rest is there to be violated. Inv2 is false where B > N. */

#include "../predicates.h"
#include "../text.h"
#include "register_disk_paxos.h"

static bool is_done(const State *s, unsigned p)
{
    return s->pc[p] == DONE;
}

static bool agreement(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < p; q++)
            if (is_done(s, p) && is_done(s, q) && inp(s->dblock[p]) != inp(s->dblock[q]))
                return false;
    return true;
}

static bool inv1(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (bal(s->dblock[p]) > mbal(s->dblock[p]))
            return false;
    return true;
}

static bool inv2(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++) {
        Block r = s->rs[p];
        if (mbal(r) && mbal(r) == bal(r) && s->phase[p] != 2)
            return false;
    }
    return true;
}

/* The smallest process that owns a ballot. */
static unsigned owner(const uint8_t *k, unsigned ballot)
{
    unsigned p = 0;
    while (p + 1 < k[N] && !owns(k, p, ballot))
        p++;
    return p;
}

/* Every register has no ballot, or one below its owner's. */
static bool all_registers_are_old(const uint8_t *k, const State *s)
{
    for (unsigned q = 0; q < k[N]; q++)
        if (mbal(s->rs[q]) && mbal(s->rs[q]) >= mbal(s->dblock[q]))
            return false;
    return true;
}

static bool choosable(const uint8_t *k, const State *s, unsigned v, unsigned b)
{
    unsigned p = owner(k, b);
    Block r = s->rs[p];
    if (mbal(r) < b || (mbal(r) == b && s->phase[p] == 1))
        return all_registers_are_old(k, s);
    if (mbal(r) != b || bal(r) != b || inp(r) != v)
        return false;
    for (unsigned q = 0; q < k[N]; q++)
        if (s->toRead[p] >> q & 1 && mbal(s->dblock[q]) > b)
            return false;
    return true;
}

static bool inv3(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned b = 1; s->phase[p] == 2 && b < bal(s->dblock[p]); b++)
            for (unsigned w = 1; w <= k[V]; w++)
                if (w != inp(s->dblock[p]) && choosable(k, s, w, b))
                    return false;
    return true;
}

static bool inv4(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (is_done(s, p) && !choosable(k, s, inp(s->rs[p]), bal(s->rs[p])))
            return false;
    return true;
}

static bool nobody_decides(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (is_done(s, p))
            return false;
    return true;
}

static bool not_all_decide(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (!is_done(s, p))
            return true;
    return false;
}

static bool min_ballot_decides(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (is_done(s, p) && bal(s->dblock[p]) != next_ballot(k, p, 0))
            return false;
    return true;
}

static bool reg_agreement(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < p; q++)
            if (bal(s->rs[p]) && bal(s->rs[q]) && inp(s->rs[p]) != inp(s->rs[q]))
                return false;
    return true;
}

static bool same_bal(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < p; q++)
            if (is_done(s, p) && is_done(s, q) && bal(s->dblock[p]) != bal(s->dblock[q]))
                return false;
    return true;
}

static bool higher_decides(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < k[N]; q++)
            if (p != q && is_done(s, p) && is_done(s, q) && bal(s->dblock[p]) > k[N])
                return false;
    return true;
}

static bool inputs_equal(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 1; p < k[N]; p++)
        if (inp(s->dblock[p]) != inp(s->dblock[0]))
            return false;
    return true;
}

/* Ballot 2 is written as 3. */
static bool low_bal(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (mbal(s->dblock[p]) > 3)
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"Agreement", agreement},
    {"Inv1", inv1},
    {"Inv2", inv2},
    {"Inv3", inv3},
    {"Inv4", inv4},
    {"NobodyDecides", nobody_decides},
    {"NotAllDecide", not_all_decide},
    {"MinBallotDecides", min_ballot_decides},
    {"RegAgreement", reg_agreement},
    {"SameBal", same_bal},
    {"HigherDecides", higher_decides},
    {"InputsEqual", inputs_equal},
    {"LowBal", low_bal},
};

static const Predicate low_bal_only = {"LowBalOnly", low_bal};

static void add_ballot(Text *to, unsigned ballot)
{
    if (ballot)
        text_add(to, "%u", ballot - 1);
    else
        text_add(to, "NB");
}

static void add_block(Text *to, Block block)
{
    text_add(to, "(");
    add_ballot(to, mbal(block));
    text_add(to, ",");
    add_ballot(to, bal(block));
    if (inp(block))
        text_add(to, ",%u)", inp(block));
    else
        text_add(to, ",NI)");
}

static void add_blocks_read(Text *to, const uint8_t *k, const State *s, unsigned p)
{
    unsigned words = blocks_read_words(k);
    const uint64_t *read = s->blocksRead + p * words;
    const char *separator = "";
    text_add(to, "{");
    for (EACH_BIT(i, read, words)) {
        text_add(to, "%s", separator);
        add_block(to, block_at(k, i));
        separator = ",";
    }
    text_add(to, "}");
}

static void add_process(Text *to, const uint8_t *k, const State *s, unsigned p)
{
    static const char *const labels[] = {"l1", "l2", "l3", "Done"};
    text_space(to);
    text_add(to, "rs[%u]=", p + 1);
    add_block(to, s->rs[p]);
    text_add(to, " dblock[%u]=", p + 1);
    add_block(to, s->dblock[p]);
    text_add(to, " pc[%u]=%s toRead[%u]=", p + 1, labels[s->pc[p]], p + 1);
    if (s->toRead[p] & DEFINED)
        text_set(to, s->toRead[p] & ~(unsigned)DEFINED, 1);
    else
        text_add(to, "undefined");
    text_add(to, " phase[%u]=%u blocksRead[%u]=", p + 1, s->phase[p], p + 1);
    add_blocks_read(to, k, s, p);
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    for (unsigned p = 0; p < node->settings[N]; p++)
        add_process(&to, node->settings, state, p);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"l1(%u)", "l2(%u,%u)", "l2(%u)", "l3(%u)", "Terminating"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u, action->data[0] + 1u);
    return to.len;
}

/* The blocks fit into the state, and every process owns a ballot. */
static bool fits(const uint8_t *k)
{
    for (unsigned p = 0; p < k[N]; p++)
        if (next_ballot(k, p, 0) == 0)
            return false;
    return k[N] * blocks_read_words(k) <= WORDS;
}

static int describe(CmcModel *model)
{
    static const CmcFormat format = {
        .size = sizeof(CmcFormat),
        .state = format_state,
        .action = format_action,
    };
    const uint8_t *k;
    size_t len;
    CmcStatus status = cmc_model_settings(model, &k, &len);
    if (status == CMC_OK && !fits(k))
        status = CMC_ERR_ARGUMENT;
    if (status == CMC_OK && k[LOW_BAL])
        status = add_constraint(model, &low_bal_only);
    if (status == CMC_OK)
        status =
            add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
    return status;
}

static const CmcParameter parameters[] = {
    [N] = {"N", 2, 1, MAX_N, "processes"},
    [B] = {"B", 2, 1, MAX_B, "ballots"},
    [V] = {"V", 2, 1, MAX_V, "values"},
    [BALS] = {"Bals", BALS_MOD, 0, 3, "owners of ballots: 0 mod, 1 all, 2 parity, 3 mod+top"},
    [LOW_BAL] = {"LowBalOnly", 0, 0, 1, "1: LowBal is a state constraint"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
