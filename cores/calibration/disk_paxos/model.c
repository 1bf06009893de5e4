/* The parameters, invariants and traces of Disk Paxos with disks. HInv1 to HInv6 are the
 * specification's; Agreement follows from them; the rest is there to be violated. */

#include "../predicates.h"
#include "../text.h"
#include "disk_paxos.h"
#include "hinv.h"

static bool agreement(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        for (unsigned q = 0; q < p; q++)
            if (s->output[p] && s->output[q] && s->output[p] != s->output[q])
                return false;
    return true;
}

static bool nobody_phase2(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->phase[p] == 2)
            return false;
    return true;
}

static bool nobody_outputs(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->output[p] != 0)
            return false;
    return true;
}

static bool not_all_output(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->output[p] == 0)
            return true;
    return false;
}

static bool min_decides(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[N]; p++)
        if (s->phase[p] == 3 && bal(s->dblock[p]) != first_ballot(k, p))
            return false;
    return true;
}

static const Predicate invariants[] = {
    {"HInv1", hinv1},
    {"HInv2", hinv2},
    {"HInv3", hinv3},
    {"HInv4", hinv4},
    {"HInv5", hinv5},
    {"HInv6", hinv6},
    {"Agreement", agreement},
    {"NobodyPhase2", nobody_phase2},
    {"NobodyOutputs", nobody_outputs},
    {"NotAllOutput", not_all_output},
    {"MinDecides", min_decides},
};

/* A ballot as the specification numbers it. */
static unsigned published(const uint8_t *k, unsigned ballot)
{
    return ballot ? ballot + k[K] - 1u : 0;
}

static void add_value(Text *to, unsigned value)
{
    if (value)
        text_add(to, "%u", value);
    else
        text_add(to, "NI");
}

static void add_block(Text *to, const uint8_t *k, Block block)
{
    text_add(to, "(%u,%u,", published(k, mbal(block)), published(k, bal(block)));
    add_value(to, inp(block));
    text_add(to, ")");
}

static void add_blocks_read(Text *to, const uint8_t *k, const State *s, unsigned p, unsigned d)
{
    unsigned words = blocks_read_words(k);
    const uint64_t *read = blocks_read(k, s, p, d);
    const char *separator = "";
    text_add(to, " blocksRead[%u][%u]={", p + 1, d + 1);
    for (EACH_BIT(i, read, words)) {
        text_add(to, "%s%u:", separator, process_at(k, i) + 1);
        add_block(to, k, block_at(k, i));
        separator = ",";
    }
    text_add(to, "}");
}

static void add_process(Text *to, const uint8_t *k, const State *s, unsigned p)
{
    text_add(to, " input[%u]=%u output[%u]=", p + 1, s->input[p], p + 1);
    add_value(to, s->output[p]);
    text_add(to, " phase[%u]=%u dblock[%u]=", p + 1, s->phase[p], p + 1);
    add_block(to, k, s->dblock[p]);
    text_add(to, " disksWritten[%u]=", p + 1);
    text_set(to, s->disksWritten[p], 1);
    for (unsigned d = 0; d < k[D]; d++)
        add_blocks_read(to, k, s, p, d);
    for (unsigned d = 0; d < k[D]; d++) {
        text_add(to, " disk[%u][%u]=", d + 1, p + 1);
        add_block(to, k, s->disk[d][p]);
    }
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "allInput=");
    text_set(&to, s->allInput, 0);
    text_add(&to, " chosen=");
    add_value(&to, s->chosen);
    for (unsigned p = 0; p < node->settings[N]; p++)
        add_process(&to, node->settings, s, p);
    return to.len;
}

/* The first witness is a ballot, a disk or a value, the second a process. */
static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {
        "StartBallot(%u,%u)",      "Phase0Read(%u,%u)", "Phase1or2Write(%u,%u)",
        "Phase1or2Read(%u,%u,%u)", "EndPhase1or2(%u)",  "Fail(%u,%u)",
        "EndPhase0(%u,%u)",
    };
    const bool is_ballot[] = {true, false, false, false, false, false, true};
    const bool is_disk[] = {false, true, true, true, false, false, false};
    unsigned witness = action->data[0];
    Text to = {text, cap, 0};
    if (is_ballot[action->id])
        witness = published(node->settings, witness);
    else if (is_disk[action->id])
        witness++;
    text_add(&to, names[action->id], action->peer + 1u, witness, action->data[1] + 1u);
    return to.len;
}

/* The blocks fit into the state. */
static bool fits(const uint8_t *k)
{
    return ballot_count(k) <= 16 && (unsigned)k[N] * k[D] * blocks_read_words(k) <= WORDS;
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
    if (status == CMC_OK)
        status =
            add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
    return status;
}

static const CmcParameter parameters[] = {
    [N] = {"N", 2, 1, MAX_N, "processes"},
    [V] = {"V", 2, 1, MAX_V, "inputs"},
    [D] = {"D", 1, 1, MAX_D, "disks"},
    [K] = {"K", 1, 1, MAX_K, "ballots of each process"},
    [QUORUM] = {"quorum", QUORUM_MAJORITY, 0, 1, "0: majorities, 1: any disks (broken)"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
