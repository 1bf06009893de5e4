/* Histories: what clients of a core asked and were answered is linearizable or sequentially consistent,
 * as parse() reads it from the replies; what it cannot read, or says that cannot be, is an error that
 * names the reply. */
#include "check.h"

/* A register: node 0 holds it, node 1 is asked by those who read. */
typedef struct {
    uint8_t value;
} Register;

/* How node 1 answers, its one byte of settings. */
enum {
    ASKS = 0,    /* It asks node 0 each time. */
    COPIES = 1,  /* With a copy that node 0 sends it, and that may not be there yet. */
    FORGETS = 2, /* The same, and forgets the copy. */
};

enum { READER = 1 };

/* A reply: what it means to the history, for parse() to say. */
typedef struct {
    uint8_t kind, client, key, value, old;
} Entry;

static void say(CmcOut *out, CmcOperationKind kind, uint8_t client, uint8_t value)
{
    Entry entry = {.kind = (uint8_t)kind, .client = client, .value = value};
    cmc_reply(out, &entry, sizeof entry);
}

static void found(CmcOut *out, uint8_t client, uint8_t value)
{
    say(out, value == 0 ? CMC_OP_NONE : CMC_OP_FOUND, client, value);
}

static void register_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void register_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Register *own = state;
    uint8_t mode = node->settings[0];
    if (event->kind == CMC_EV_CLIENT && node->id == 0) {
        own->value++;
        say(out, CMC_OP_WRITE, 0, own->value);
        say(out, CMC_OP_DONE, 0, 0);
        if (mode != ASKS)
            cmc_send(out, 1, &own->value, 1);
    } else if (event->kind == CMC_EV_CLIENT && mode == ASKS) {
        /* Requests overtake each other: each is a client. */
        uint8_t client = (uint8_t)(READER + event->id);
        say(out, CMC_OP_READ, client, 0);
        cmc_send(out, 0, &client, 1);
    } else if (event->kind == CMC_EV_CLIENT) {
        say(out, CMC_OP_READ, READER, 0);
        found(out, READER, own->value);
        if (mode == FORGETS)
            own->value = 0;
    } else if (event->kind == CMC_EV_MESSAGE && node->id == 0) {
        uint8_t answer[2] = {event->data[0], own->value};
        cmc_send(out, 1, answer, 2);
    } else if (event->kind == CMC_EV_MESSAGE && mode == ASKS) {
        found(out, event->data[0], event->data[1]);
    } else if (event->kind == CMC_EV_MESSAGE) {
        own->value = event->data[0];
    }
}

static const CmcCore register_core = {
    .size = sizeof(CmcCore),
    .name = "register",
    .state_size = sizeof(Register),
    .init = register_init,
    .step = register_step,
};

/* Says what its settings say, entry by entry, and that is all. */
static void script_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)index, (void)state;
    for (size_t at = 0; at < node->len; at += sizeof(Entry))
        cmc_reply(out, node->settings + at, sizeof(Entry));
}

static void script_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)state, (void)event, (void)out;
}

static const CmcCore script_core = {
    .size = sizeof(CmcCore), .name = "script", .state_size = 1, .init = script_init, .step = script_step};

/* Kinds that parse() does not read. */
enum { REFUSED = 200, LONG = 255 };

static uint8_t put(uint8_t *bytes, uint8_t byte)
{
    if (byte == LONG)
        return CMC_MAX_BYTES + 1;
    /* As text; a letter is one already. */
    if (byte >= 'a')
        return (uint8_t)snprintf((char *)bytes, CMC_MAX_BYTES, "%c", byte);
    return byte == 0 ? 0 : (uint8_t)snprintf((char *)bytes, CMC_MAX_BYTES, "%d", byte);
}

static int parse(void *user, const CmcReply *reply, CmcOperation *operation)
{
    static const CmcOperation empty;
    Entry entry;
    if (user != &register_core || reply->client != -1 || reply->len != sizeof entry ||
        memcmp(operation, &empty, sizeof empty) != 0)
        return -1;
    memcpy(&entry, reply->bytes, sizeof entry);
    if (entry.kind == REFUSED)
        return 5;
    operation->kind = entry.kind;
    operation->client = entry.client;
    operation->key_len = put(operation->key, entry.key);
    operation->value_len = put(operation->value, entry.value);
    operation->old_len = put(operation->old, entry.old);
    return 0;
}

static CmcHistory history_of(CmcConsistency consistency, CmcObject object)
{
    return (CmcHistory){.size = sizeof(CmcHistory),
                        .consistency = (uint8_t)consistency,
                        .object = (uint8_t)object,
                        .parse = parse,
                        .user = (void *)&register_core};
}

static CmcModel *register_model(uint8_t mode, CmcConsistency consistency)
{
    CmcEnv env = {.size = sizeof env, .nodes = 2, .clients = {2, 2}, .settings_len = 1, .settings = &mode};
    CmcHistory history = history_of(consistency, CMC_REGISTER);
    CmcModel *model = NULL;
    OK(cmc_model_new(&register_core, &env, &model));
    OK(cmc_model_history(model, &history));
    return model;
}

static const char *fault_of(const CmcResult *result)
{
    const char *property = "", *why = "";
    OK(cmc_result_violation(result, 0, &property, &why));
    return why;
}

static void a_register_is_checked(void)
{
    static const struct {
        uint8_t mode;
        CmcConsistency consistency;
        const char *broken, *why;
    } checks[] = {
        {ASKS, CMC_LINEARIZABLE, "", ""},
        {ASKS, CMC_SEQUENTIAL, "", ""},
        {COPIES, CMC_LINEARIZABLE, "linearizable",
         "client 1 read nothing after client 0 wrote \"1\"; it could only have read \"1\""},
        {COPIES, CMC_SEQUENTIAL, "", ""},
        {FORGETS, CMC_SEQUENTIAL, "sequentially consistent",
         "client 1 read nothing after it read \"1\"; it could only have read \"1\""},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (uint32_t workers = 1; workers <= 2; workers++) {
            CmcModel *model = register_model(checks[i].mode, checks[i].consistency);
            CmcSearch how = {.size = sizeof how, .workers = workers};
            CmcResult *result = searched(model, &how);
            bool good = *checks[i].broken == '\0';
            CHECK(verdict_of(result) == (good ? CMC_PASS : CMC_VIOLATED));
            TEXT(broken_by(result), checks[i].broken);
            if (!good && workers == 1)
                TEXT(fault_of(result), checks[i].why);
            cmc_result_free(result);
            cmc_model_free(model);
        }
}

typedef struct {
    Entry entries[8];
    /* What is wrong with the last of them; "" if nothing is. */
    const char *said;
    CmcVerdict verdict;
} Script;

/* Search what says `script`, and compare. */
static void happens(const Script *script, const CmcHistory *history)
{
    CmcEnv env = {.size = sizeof env, .settings = (const uint8_t *)script->entries};
    CmcModel *model = NULL;
    size_t count = 0;
    while (count < 8 && script->entries[count].kind != 0)
        count++;
    env.settings_len = (uint16_t)(count * sizeof(Entry));
    OK(cmc_model_new(&script_core, &env, &model));
    OK(cmc_model_history(model, history));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == script->verdict);
    const char *said = script->verdict == CMC_VIOLATED ? fault_of(result) : why_of(result);
    if (!CHECK(strstr(said, script->said) != NULL))
        printf("  \"%s\" is not in: %s\n", script->said, said);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void every_kind_has_its_meaning(void)
{
    static const Script registers[] = {
        {{{CMC_OP_READ, 7, 0, 0, 0}, {CMC_OP_FOUND, 7, 0, 4, 0}}, "", CMC_PASS},
        {{{CMC_OP_READ, 7, 0, 0, 0}, {CMC_OP_NONE, 7, 0, 0, 0}}, "could only have read \"4\"", CMC_VIOLATED},
        {{{CMC_OP_CAS, 1, 0, 5, 4}, {CMC_OP_DONE, 1, 0, 0, 0}}, "", CMC_PASS},
        {{{CMC_OP_CAS, 1, 0, 5, 4}, {CMC_OP_FAILED, 1, 0, 0, 0}}, "have succeeded", CMC_VIOLATED},
        {{{CMC_OP_CAS, 1, 0, 4, 5}, {CMC_OP_FAILED, 1, 0, 0, 0}}, "", CMC_PASS},
        {{{CMC_OP_DELETE, 1, 0, 0, 0}, {CMC_OP_DONE, 1, 0, 0, 0}, {CMC_OP_READ, 1, 0, 0, 0},
          {CMC_OP_NONE, 1, 0, 0, 0}, {CMC_OP_DELETE, 1, 0, 0, 0}, {CMC_OP_NONE, 1, 0, 0, 0}},
         "", CMC_PASS},
        {{{CMC_OP_DELETE, 1, 0, 0, 0}, {CMC_OP_NONE, 1, 0, 0, 0}}, "found something", CMC_VIOLATED},
        /* Keys are objects of their own. */
        {{{CMC_OP_WRITE, 1, 'a', 6, 0}, {CMC_OP_DONE, 1, 0, 0, 0}, {CMC_OP_READ, 2, 'b', 0, 0},
          {CMC_OP_FOUND, 2, 0, 4, 0}},
         "", CMC_PASS},
        {{{CMC_OP_WRITE, 1, 'a', 6, 0}, {CMC_OP_DONE, 1, 0, 0, 0}, {CMC_OP_READ, 2, 'a', 0, 0},
          {CMC_OP_FOUND, 2, 0, 4, 0}},
         "client 2 read \"4\" from \"a\" after client 1 wrote \"6\" to \"a\"", CMC_VIOLATED},
        /* Nobody knows of the write; it happened, or not. */
        {{{CMC_OP_WRITE, 1, 0, 6, 0}, {CMC_OP_UNKNOWN, 1, 0, 0, 0}, {CMC_OP_READ, 1, 0, 0, 0},
          {CMC_OP_FOUND, 1, 0, 4, 0}},
         "", CMC_PASS},
        {{{CMC_OP_SKIP, 1, 0, 0, 0}, {CMC_OP_FOUND, 1, 0, 9, 0}, {CMC_OP_IGNORE, 1, 0, 0, 0},
          {CMC_OP_READ, 1, 0, 0, 0}, {CMC_OP_FOUND, 1, 0, 4, 0}},
         "", CMC_PASS},
    };
    static const Script queues[] = {
        {{{CMC_OP_ENQUEUE, 1, 0, 6, 0}, {CMC_OP_DONE, 1, 0, 0, 0}, {CMC_OP_DEQUEUE, 2, 0, 0, 0},
          {CMC_OP_FOUND, 2, 0, 6, 0}, {CMC_OP_DEQUEUE, 2, 0, 0, 0}, {CMC_OP_NONE, 2, 0, 0, 0}},
         "", CMC_PASS},
        {{{CMC_OP_ENQUEUE, 1, 0, 6, 0}, {CMC_OP_DONE, 1, 0, 0, 0}, {CMC_OP_DEQUEUE, 2, 0, 0, 0},
          {CMC_OP_NONE, 2, 0, 0, 0}},
         "could only have taken \"6\"", CMC_VIOLATED},
    };
    CmcHistory history = history_of(CMC_LINEARIZABLE, CMC_REGISTER);
    uint8_t four[] = {'4'};
    history.initial = four;
    history.initial_len = 1;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        happens(&registers[i], &history);
    history = history_of(CMC_LINEARIZABLE, CMC_QUEUE);
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        happens(&queues[i], &history);
}

static void what_cannot_be_read_is_an_error_that_names_the_reply(void)
{
    static const Script scripts[] = {
        {{{CMC_OP_WRITE, 1, 0, 6, 0}, {REFUSED, 0, 0, 0, 0}},
         "property \"linearizable\": reply 1, \"\\xc8\\x00\\x00\\x00\\x00\" of node 0: parse() returned 5",
         CMC_ERROR},
        {{{99, 1, 0, 0, 0}}, "reply 0, \"c\\x01\\x00\\x00\\x00\" of node 0: parse() set kind to 99", CMC_ERROR},
        {{{CMC_OP_WRITE, 1, 0, 0, 0}}, "left value_len 0", CMC_ERROR},
        {{{CMC_OP_WRITE, 1, 0, LONG, 0}}, "value_len to 33", CMC_ERROR},
        {{{CMC_OP_WRITE, 1, LONG, 6, 0}}, "key_len to 33", CMC_ERROR},
        {{{CMC_OP_CAS, 1, 0, 6, 0}}, "left old_len 0", CMC_ERROR},
        {{{CMC_OP_READ, 1, 0, 0, 0}, {CMC_OP_FOUND, 1, 0, 0, 0}}, "left value_len 0", CMC_ERROR},
        {{{CMC_OP_DEQUEUE, 1, 0, 0, 0}}, "a dequeue, which these objects do not do", CMC_ERROR},
        {{{CMC_OP_DONE, 1, 0, 0, 0}}, "client 1 is answered and has asked for nothing", CMC_ERROR},
        {{{CMC_OP_READ, 1, 0, 0, 0}, {CMC_OP_DONE, 1, 0, 0, 0}}, "is no answer to it", CMC_ERROR},
        {{{CMC_OP_READ, 1, 0, 0, 0}, {CMC_OP_READ, 1, 0, 0, 0}}, "reply 1, ", CMC_ERROR},
        {{{CMC_OP_READ, 1, 0, 0, 0}, {CMC_OP_SKIP, 1, 0, 0, 0}}, "asks again", CMC_ERROR},
    };
    CmcHistory history = history_of(CMC_LINEARIZABLE, CMC_REGISTER);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        happens(&scripts[i], &history);
}

/* Leaves the operation as it got it. */
static int says_nothing(void *user, const CmcReply *reply, CmcOperation *operation)
{
    (void)user, (void)reply, (void)operation;
    return 0;
}

static void an_operation_without_a_kind_is_an_error(void)
{
    static const Script script = {{{CMC_OP_READ, 1, 0, 0, 0}}, "set kind to 0", CMC_ERROR};
    CmcHistory history = history_of(CMC_LINEARIZABLE, CMC_REGISTER);
    history.parse = says_nothing;
    happens(&script, &history);
}

static size_t no_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    (void)node, (void)state, (void)actions, (void)cap;
    return 0;
}

static void what_cannot_be_meant_is_refused(void)
{
    static const size_t sizes[] = {0, 7, sizeof(CmcHistory) + 1, SIZE_MAX};
    static const uint8_t bytes[CMC_MAX_BYTES + 1] = {1};
    CmcHistory good = history_of(CMC_LINEARIZABLE, CMC_REGISTER), bad = good;
    CmcModel *model = NULL;
    OK(cmc_model_new(&script_core, NULL, &model));
    FAILS(cmc_model_history(NULL, &good), CMC_ERR_ARGUMENT, "model is NULL");
    FAILS(cmc_model_history(model, NULL), CMC_ERR_ARGUMENT, "CmcHistory is NULL");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bad.size = sizes[i];
        FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "sizeof(CmcHistory)");
    }
    bad = good, bad.parse = NULL;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "parse is NULL");
    bad = good, bad.consistency = 2;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "consistency is 2");
    bad = good, bad.object = 255;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "object is 255");
    bad = good, bad.initial = bytes;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "initial_len is 0");
    bad = good, bad.initial_len = 1;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "or NULL and 0");
    bad.initial = bytes, bad.initial_len = CMC_MAX_BYTES + 1;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "1 to 32 bytes");
    bad.initial_len = 1, bad.object = CMC_QUEUE;
    FAILS(cmc_model_history(model, &bad), CMC_ERR_ARGUMENT, "a queue is empty at first");

    /* What failed left nothing behind; the two consistencies have two names. */
    OK(cmc_model_history(model, &good));
    FAILS(cmc_model_history(model, &good), CMC_ERR_ARGUMENT,
          "\"linearizable\": there is a property of this name");
    good.consistency = CMC_SEQUENTIAL;
    OK(cmc_model_history(model, &good));
    cmc_model_free(model);

    CmcCore direct = script_core;
    direct.direct_actions = no_actions;
    OK(cmc_model_new(&direct, NULL, &model));
    FAILS(cmc_model_history(model, &good), CMC_ERR_ARGUMENT, "answers nobody");
    cmc_model_free(model);
}

int main(void)
{
    a_register_is_checked();
    every_kind_has_its_meaning();
    what_cannot_be_read_is_an_error_that_names_the_reply();
    an_operation_without_a_kind_is_an_error();
    what_cannot_be_meant_is_refused();
    return done();
}
