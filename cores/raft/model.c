/* What is checked of Raft: the properties of Figure 3 of the paper, and behind them why they hold:
 * what a majority has on its disks. */

#include <cmc.h>
#include <stdio.h>

#include "raft.h"

static const CmcParameter parameters[] = {
    [TERMS] = { "terms", 2, 1, 20, "the last term in which an election begins" },
    [FIGURE_8] = { "figure_8", 0, 0, 1, "begin as Figure 8 of the paper does" },
};

/* The servers of a world. */
typedef struct Cluster {
    size_t size;
    const Raft *server[CMC_MAX_NODES];
} Cluster;

/* False when the world cannot be read, which makes the check an error whatever a property says. */
static bool read_cluster(const CmcWorld *world, Cluster *cluster)
{
    if (cmc_world_nodes(world, &cluster->size) != CMC_OK)
        return false;
    for (size_t n = 0; n < cluster->size; n++) {
        const void *state;
        size_t len;
        if (cmc_world_state(world, n, &state, &len) != CMC_OK)
            return false;
        cluster->server[n] = state;
    }
    return true;
}

static bool election_safety(void *user, const CmcWorld *world)
{
    Cluster all;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t a = 0; a < all.size; a++)
        for (size_t b = 0; b < a; b++)
            if (all.server[a]->role == LEADER && all.server[b]->role == LEADER &&
                all.server[a]->now.term == all.server[b]->now.term)
                return false;
    return true;
}

/* Up to the last entry that has one term in both, they are the same. */
static bool logs_match(const Log *a, const Log *b)
{
    size_t common = a->length < b->length ? a->length : b->length;

    while (common > 0 && a->entry[common - 1].term != b->entry[common - 1].term)
        common--;
    return memcmp(a->entry, b->entry, common * sizeof *a->entry) == 0;
}

static bool log_matching(void *user, const CmcWorld *world)
{
    Cluster all;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t a = 0; a < all.size; a++)
        for (size_t b = 0; b < a; b++)
            if (!logs_match(&all.server[a]->now.log, &all.server[b]->now.log))
                return false;
    return true;
}

/* A vote that is on no disk can be given again. */
static bool has_votes(const Cluster *all, size_t leader)
{
    uint8_t term = all->server[leader]->now.term;
    size_t votes = 0;

    for (size_t n = 0; n < all->size; n++) {
        const Persistent *disk = &all->server[n]->disk;
        votes += disk->term > term ||
                 (disk->term == term && disk->voted_for == candidate_number((uint8_t)leader));
    }
    return 2 * votes > all->size;
}

static bool votes_are_durable(void *user, const CmcWorld *world)
{
    Cluster all;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t n = 0; n < all.size; n++)
        if (all.server[n]->role == LEADER && !has_votes(&all, n))
            return false;
    return true;
}

static bool holds(const Log *log, const Answer *answer)
{
    return log->length >= answer->index &&
           log->entry[answer->index - 1].command == answer->command;
}

static bool leaders_hold(const Cluster *all, const Answer *answer)
{
    for (size_t n = 0; n < all->size; n++)
        if (all->server[n]->role == LEADER && all->server[n]->now.term >= answer->term &&
            !holds(&all->server[n]->now.log, answer))
            return false;
    return true;
}

static bool most_disks_hold(const Cluster *all, const Answer *answer)
{
    size_t holders = 0;

    for (size_t n = 0; n < all->size; n++)
        holders += holds(&all->server[n]->disk.log, answer);
    return 2 * holders > all->size;
}

/* Whether a majority would vote for a server, were it to stand now. */
static bool can_win(const Cluster *all, size_t candidate)
{
    const Log *own = &all->server[candidate]->now.log;
    size_t votes = 0;

    for (size_t n = 0; n < all->size; n++) {
        const Log *log = &all->server[n]->now.log;
        uint8_t own_term = log_term(own, own->length), term = log_term(log, log->length);
        votes += own_term > term || (own_term == term && own->length >= log->length);
    }
    return 2 * votes > all->size;
}

static bool winners_hold(const Cluster *all, const Answer *answer)
{
    for (size_t n = 0; n < all->size; n++)
        if (!holds(&all->server[n]->now.log, answer) && can_win(all, n))
            return false;
    return true;
}

/* What is committed is known for sure from what clients were answered, which no crash undoes. */
static bool every_answer(const CmcWorld *world, bool (*is_good)(const Cluster *, const Answer *))
{
    Cluster all;
    size_t count;

    if (!read_cluster(world, &all) || cmc_world_replies(world, &count) != CMC_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        CmcReply reply;
        Answer answer;
        if (cmc_world_reply(world, i, &reply) != CMC_OK)
            return false;
        memcpy(&answer, reply.bytes, sizeof answer);
        if (!is_good(&all, &answer))
            return false;
    }
    return true;
}

static bool leader_completeness(void *user, const CmcWorld *world)
{
    (void)user;
    return every_answer(world, leaders_hold);
}

static bool answers_are_durable(void *user, const CmcWorld *world)
{
    (void)user;
    return every_answer(world, most_disks_hold);
}

static bool answers_will_last(void *user, const CmcWorld *world)
{
    (void)user;
    return every_answer(world, winners_hold);
}

static bool same_committed(const Raft *a, const Raft *b)
{
    size_t common = a->commit < b->commit ? a->commit : b->commit;

    return memcmp(a->now.log.entry, b->now.log.entry, common * sizeof(Entry)) == 0;
}

static bool state_machine_safety(void *user, const CmcWorld *world)
{
    Cluster all;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t a = 0; a < all.size; a++)
        for (size_t b = 0; b < a; b++)
            if (!same_committed(all.server[a], all.server[b]))
                return false;
    return true;
}

static bool terms_go_up(void *user, const CmcWorld *before, const CmcWorld *after)
{
    Cluster earlier, later;

    (void)user;
    if (!read_cluster(before, &earlier) || !read_cluster(after, &later))
        return false;
    for (size_t n = 0; n < earlier.size; n++)
        if (later.server[n]->disk.term < earlier.server[n]->disk.term)
            return false;
    return true;
}

static bool a_command_is_everywhere(void *user, const CmcWorld *world)
{
    Cluster all;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t n = 0; n < all.size; n++)
        if (all.server[n]->commit == 0)
            return false;
    return true;
}

static bool two_leaders(void *user, const CmcWorld *world)
{
    Cluster all;
    size_t leaders = 0;

    (void)user;
    if (!read_cluster(world, &all))
        return false;
    for (size_t n = 0; n < all.size; n++)
        leaders += all.server[n]->role == LEADER;
    return leaders > 1;
}

/* Entries as TERM:COMMAND; the text holds a full log. */
static void show_log(const Log *log, char text[8 * LOG_SIZE + 1])
{
    int len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < log->length; i++)
        len += sprintf(text + len, "%s%u:%u", i == 0 ? "" : ",", log->entry[i].term,
                       log->entry[i].command);
}

static size_t show_persistent(const Persistent *state, char *text, size_t cap)
{
    char log[8 * LOG_SIZE + 1];

    show_log(&state->log, log);
    return (size_t)snprintf(text, cap, "%u/%u/[%s]", state->term, state->voted_for, log);
}

/* What is on the disk and what is in memory are TERM/VOTE/[LOG]. */
static size_t show_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    static const char *const roles[] = {
        [FOLLOWER] = "follower", [CANDIDATE] = "candidate", [LEADER] = "leader",
    };
    const Raft *self = state;
    char disk[8 * LOG_SIZE + 16], now[8 * LOG_SIZE + 16], match[4 * CMC_MAX_NODES + 1] = "";
    int len = 0;

    show_persistent(&self->disk, disk, sizeof disk);
    show_persistent(&self->now, now, sizeof now);
    for (size_t n = 0; n < node->nodes; n++)
        len += sprintf(match + len, "%s%u", n == 0 ? "" : ",", self->match[n]);
    return (size_t)snprintf(text, cap, "disk=%s now=%s role=%s commit=%u votes=%#x match=%s", disk,
                            now, roles[self->role], self->commit, self->votes, match);
}

static size_t show_message(const Message *message, char *text, size_t cap)
{
    char sent[8 * LOG_SIZE + 1];
    int len;

    show_log(&message->sent, sent);
    if (message->kind == REQUEST_VOTE)
        len = snprintf(text, cap, "REQUEST_VOTE term=%u last=%u:%u", message->term,
                       message->index_term, message->index);
    else if (message->kind == VOTE)
        len = snprintf(text, cap, "VOTE term=%u yes=%u", message->term, message->yes);
    else if (message->kind == APPEND_ENTRIES)
        len = snprintf(text, cap, "APPEND_ENTRIES term=%u behind=%u:%u [%s] commit=%u",
                       message->term, message->index_term, message->index, sent, message->commit);
    else
        len = snprintf(text, cap, "APPENDED term=%u yes=%u index=%u", message->term, message->yes,
                       message->index);
    return (size_t)len;
}

static size_t show_record(const Record *record, char *text, size_t cap)
{
    const char *purpose = record->kind == VOTE       ? "vote"
                          : record->kind == APPENDED ? "follow"
                                                     : "lead";
    char state[8 * LOG_SIZE + 16];

    show_persistent(&record->state, state, sizeof state);
    return (size_t)snprintf(text, cap, "%s %s", purpose, state);
}

static size_t show_bytes(const CmcNode *node, int kind, const uint8_t *bytes, size_t size,
                         char *text, size_t cap)
{
    Message message;
    Record record;

    (void)node, (void)size;
    if (kind == CMC_BYTES_MESSAGE) {
        memcpy(&message, bytes, sizeof message);
        return show_message(&message, text, cap);
    }
    if (kind == CMC_BYTES_RECORD) {
        memcpy(&record, bytes, sizeof record);
        return show_record(&record, text, cap);
    }
    return (size_t)snprintf(text, cap, "committed command %u as entry %u in term %u", bytes[2],
                            bytes[1], bytes[0]);
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = show_state,
    .bytes = show_bytes,
};

static int describe(CmcModel *model)
{
    CmcStatus status = cmc_model_format(model, &format);
    const uint8_t *settings;
    size_t len;

    if (status == CMC_OK)
        status = cmc_model_invariant(model, "election safety", election_safety, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "log matching", log_matching, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "leader completeness", leader_completeness, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "state machine safety", state_machine_safety, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "a leader has its votes on most disks",
                                     votes_are_durable, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "an answered command is on most disks",
                                     answers_are_durable, NULL);
    if (status == CMC_OK)
        status = cmc_model_invariant(model, "who can win an election has what was answered",
                                     answers_will_last, NULL);
    if (status == CMC_OK)
        status = cmc_model_step(model, "a term on disk does not go back", terms_go_up, NULL);
    if (status == CMC_OK)
        status = cmc_model_sometimes(model, "every server has committed a command",
                                     a_command_is_everywhere, NULL);
    if (status == CMC_OK)
        status = cmc_model_settings(model, &settings, &len);
    if (status == CMC_OK && settings[TERMS] > 1)
        status = cmc_model_sometimes(model, "two servers lead in different terms", two_leaders,
                                     NULL);
    return status;
}

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 3,
    .clients = { 1, 1 },
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
