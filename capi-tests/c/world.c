/* Worlds: what accessors say inside of predicates and of results, and that one that fails leaves no
 * answer. */
#include "check.h"

/* Nodes of a state that is no multiple of what it is aligned to. */
typedef struct {
    uint8_t id;
    uint8_t bytes[18];
} Odd;

static void odd_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    Odd *odd = state;
    (void)index;
    odd->id = node->id;
    memset(odd->bytes, 0x40 + node->id, sizeof odd->bytes);
    if (node->id == 0) {
        cmc_send(out, 1, "one", 3);
        cmc_send(out, 2, "second", 6);
        cmc_reply(out, "hi", 2);
        cmc_reply(out, "", 0);
    }
}

static void odd_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)event, (void)out;
    ((Odd *)state)->bytes[17]++;
}

static const CmcCore odd_core = {
    .size = sizeof(CmcCore), .name = "odd", .state_size = sizeof(Odd), .init = odd_init, .step = odd_step};

static const uint8_t settings_of_all[] = {1, 2, 3};

static const CmcEnv odd_env = {.size = sizeof(CmcEnv),
                               .nodes = 3,
                               .drops = 1,
                               .crashes = 2,
                               .clients = {0, 4},
                               .settings_len = 3,
                               .settings = settings_of_all};

/* The first world; also the one behind which nothing has happened in a trace. */
static void look_at_the_start(const CmcWorld *world)
{
    size_t nodes = 0, len = 0, count = 0;
    OK(cmc_world_nodes(world, &nodes));
    CHECK(nodes == 3);
    const void *seen[3];
    for (size_t node = 0; node < nodes; node++) {
        bool alive = false;
        int64_t micros = -1;
        OK(cmc_world_alive(world, node, &alive));
        CHECK(alive);
        OK(cmc_world_clock(world, node, &micros));
        CHECK(micros == 0);
        OK(cmc_world_state(world, node, &seen[node], &len));
        CHECK(len == sizeof(Odd) && (uintptr_t)seen[node] % 16 == 0);
    }
    /* They stay where they are. */
    for (size_t node = 0; node < nodes; node++) {
        const void *again;
        OK(cmc_world_state(world, node, &again, &len));
        CHECK(again == seen[node]);
        CHECK(((const Odd *)seen[node])->id == node && ((const Odd *)seen[node])->bytes[3] == 0x40 + node);
    }
    uint64_t left = 0;
    OK(cmc_world_budget(world, "crashes", &left));
    CHECK(left == 2);
    OK(cmc_world_budget(world, "drops", &left));
    CHECK(left == 1);
    OK(cmc_world_budget(world, "dups", &left));
    CHECK(left == 0);
    OK(cmc_world_budget(world, "clients 1", &left));
    CHECK(left == 4);
    const uint8_t *settings = NULL;
    OK(cmc_world_settings(world, &settings, &len));
    CHECK(len == 3 && memcmp(settings, settings_of_all, 3) == 0);

    OK(cmc_world_messages(world, &count));
    CHECK(count == 2);
    CmcMessage first, second;
    OK(cmc_world_message(world, 0, &first));
    OK(cmc_world_message(world, 1, &second));
    CHECK(first.from == 0 && first.to == 1 && first.client == -1);
    CHECK(first.len == 3 && memcmp(first.bytes, "one", 3) == 0);
    CHECK(second.to == 2 && second.len == 6 && memcmp(second.bytes, "second", 6) == 0);

    OK(cmc_world_replies(world, &count));
    CHECK(count == 2);
    CmcReply reply;
    OK(cmc_world_reply(world, 0, &reply));
    CHECK(reply.node == 0 && reply.client == -1 && reply.len == 2 && memcmp(reply.bytes, "hi", 2) == 0);
    OK(cmc_world_reply(world, 1, &reply));
    CHECK(reply.len == 0);
}

static bool is_start(const CmcWorld *world)
{
    uint64_t drops, crashes, clients;
    size_t messages;
    return cmc_world_budget(world, "drops", &drops) == CMC_OK && drops == 1 &&
           cmc_world_budget(world, "crashes", &crashes) == CMC_OK && crashes == 2 &&
           cmc_world_budget(world, "clients 1", &clients) == CMC_OK && clients == 4 &&
           cmc_world_messages(world, &messages) == CMC_OK && messages == 2;
}

static bool start_is_right(void *user, const CmcWorld *world)
{
    if (is_start(world)) {
        look_at_the_start(world);
        ++*(int *)user;
    }
    return true;
}

static bool pairs_are_apart(void *user, const CmcWorld *before, const CmcWorld *after)
{
    /* What is read of one world is not moved by what is read of the other. */
    const void *old[3], *new[3];
    size_t len;
    int changed = 0;
    for (size_t node = 0; node < 3; node++)
        if (cmc_world_state(before, node, &old[node], &len) != CMC_OK ||
            cmc_world_state(after, node, &new[node], &len) != CMC_OK)
            return false;
    for (size_t node = 0; node < 3; node++)
        changed += memcmp(old[node], new[node], sizeof(Odd)) != 0;
    ++*(int *)user;
    return changed <= 1;
}

static CmcModel *odd_model(void)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(&odd_core, &odd_env, &model));
    return model;
}

static const CmcSearch one_worker = {.size = sizeof(CmcSearch), .workers = 1, .max_states = 2000};

static void predicates_read_worlds(void)
{
    CmcModel *model = odd_model();
    int starts = 0, steps = 0;
    OK(cmc_model_invariant(model, "start", start_is_right, &starts));
    OK(cmc_model_step(model, "pairs", pairs_are_apart, &steps));
    CmcResult *result = searched(model, &one_worker);
    CHECK(verdict_of(result) == CMC_INCOMPLETE);
    CHECK(starts >= 1 && steps > 1000);
    cmc_result_free(result);
    cmc_model_free(model);
}

static bool never(void *user, const CmcWorld *world)
{
    size_t messages;
    (void)user;
    return cmc_world_messages(world, &messages) == CMC_OK && messages > 0;
}

static void a_result_keeps_its_worlds(void)
{
    CmcModel *model = odd_model();
    OK(cmc_model_invariant(model, "something is on its way", never, NULL));
    CmcResult *result = searched(model, &one_worker);
    cmc_model_free(model);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    size_t steps = 0, count = 1;
    OK(cmc_result_steps(result, 0, &steps));
    /* A crash of node 0 empties its channels. */
    CHECK(steps == 2);
    CmcStep step;
    OK(cmc_result_step(result, 0, 0, &step));
    look_at_the_start(step.world);
    OK(cmc_result_step(result, 0, steps - 1, &step));
    OK(cmc_world_messages(step.world, &count));
    CHECK(count == 0);
    cmc_result_free(result);
}


static bool asks_for_node_9(void *user, const CmcWorld *world)
{
    bool alive;
    *(CmcStatus *)user = cmc_world_alive(world, 9, &alive);
    return true;
}

static bool asks_for_message_99(void *user, const CmcWorld *world)
{
    CmcMessage message;
    *(CmcStatus *)user = cmc_world_message(world, 99, &message);
    return true;
}

static bool asks_for_no_budget(void *user, const CmcWorld *world)
{
    uint64_t left;
    *(CmcStatus *)user = cmc_world_budget(world, "mercy", &left);
    return true;
}

static bool gives_no_place(void *user, const CmcWorld *world)
{
    *(CmcStatus *)user = cmc_world_nodes(world, NULL);
    return true;
}

static void a_fault_is_no_answer(void)
{
    static const struct {
        CmcHolds holds;
        CmcStatus status;
        const char *part;
    } faults[] = {
        {asks_for_node_9, CMC_ERR_RANGE, "cmc_world_alive() failed: there is no node 9: the last one is 2"},
        {asks_for_message_99, CMC_ERR_RANGE, "cmc_world_message() failed: there is no message 99"},
        {asks_for_no_budget, CMC_ERR_ARGUMENT, "no budget \"mercy\""},
        {gives_no_place, CMC_ERR_ARGUMENT, "cmc_world_nodes() failed: nodes is NULL"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        CmcModel *model = odd_model();
        CmcStatus status = CMC_OK;
        OK(cmc_model_invariant(model, "careless", faults[i].holds, &status));
        CmcResult *result = searched(model, &one_worker);
        CHECK(verdict_of(result) == CMC_ERROR);
        CHECK(status == faults[i].status);
        CHECK(strstr(why_of(result), "property \"careless\"") != NULL);
        if (!CHECK(strstr(why_of(result), faults[i].part) != NULL))
            printf("  %s\n", why_of(result));
        cmc_result_free(result);
        cmc_model_free(model);
    }
}

static void null_is_refused(void)
{
    CmcModel *model = odd_model();
    OK(cmc_model_invariant(model, "something is on its way", never, NULL));
    CmcResult *result = searched(model, &one_worker);
    CmcStep step;
    OK(cmc_result_step(result, 0, 0, &step));
    const CmcWorld *world = step.world;
    size_t size;
    bool alive;
    const void *state;
    const uint8_t *settings;
    int64_t micros;
    uint64_t left;
    CmcMessage message;
    CmcReply reply;
    FAILS(cmc_world_nodes(NULL, &size), CMC_ERR_ARGUMENT, "world is NULL");
    FAILS(cmc_world_alive(NULL, 0, &alive), CMC_ERR_ARGUMENT, "world is NULL");
    FAILS(cmc_world_alive(world, 0, NULL), CMC_ERR_ARGUMENT, "alive is NULL");
    FAILS(cmc_world_state(world, 0, NULL, &size), CMC_ERR_ARGUMENT, "state is NULL");
    FAILS(cmc_world_state(world, 0, &state, NULL), CMC_ERR_ARGUMENT, "len is NULL");
    FAILS(cmc_world_state(world, SIZE_MAX, &state, &size), CMC_ERR_RANGE, "no node");
    FAILS(cmc_world_clock(world, 0, NULL), CMC_ERR_ARGUMENT, "micros is NULL");
    FAILS(cmc_world_clock(world, 3, &micros), CMC_ERR_RANGE, "no node 3");
    FAILS(cmc_world_budget(world, NULL, &left), CMC_ERR_ARGUMENT, "name is NULL");
    FAILS(cmc_world_budget(world, "drops", NULL), CMC_ERR_ARGUMENT, "left is NULL");
    FAILS(cmc_world_messages(world, NULL), CMC_ERR_ARGUMENT, "count is NULL");
    FAILS(cmc_world_message(world, 0, NULL), CMC_ERR_ARGUMENT, "message is NULL");
    FAILS(cmc_world_message(world, 2, &message), CMC_ERR_RANGE, "no message 2: the last one is 1");
    FAILS(cmc_world_replies(world, NULL), CMC_ERR_ARGUMENT, "count is NULL");
    FAILS(cmc_world_reply(world, 0, NULL), CMC_ERR_ARGUMENT, "reply is NULL");
    FAILS(cmc_world_reply(world, 2, &reply), CMC_ERR_RANGE, "no reply 2");
    FAILS(cmc_world_settings(world, NULL, &size), CMC_ERR_ARGUMENT, "settings is NULL");
    FAILS(cmc_world_settings(world, &settings, NULL), CMC_ERR_ARGUMENT, "len is NULL");
    /* What failed left nothing behind in a world of a result. */
    look_at_the_start(world);
    cmc_result_free(result);
    cmc_model_free(model);
}

int main(void)
{
    predicates_read_worlds();
    a_result_keeps_its_worlds();
    a_fault_is_no_answer();
    null_is_refused();
    return done();
}
