/* Models: properties and their names, setups, core files, what a model file lacks, who may use a model
 * and when. argv[1] is a core file that exports token_core as cmc_core, with a cmc_setup; argv[2] one
 * whose describe() fails. */
#include "check.h"
#include "token.h"

static const Token two = {2};

static bool always(void *user, const CmcWorld *world)
{
    (void)user, (void)world;
    return true;
}

static bool same(void *user, const CmcWorld *before, const CmcWorld *after)
{
    (void)user, (void)before, (void)after;
    return true;
}

static CmcModel *token_model(void)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, &token_env, &model));
    return model;
}

static void names_are_unique_and_not_reserved(void)
{
    CmcModel *model = token_model();
    char name[] = "good";
    OK(cmc_model_invariant(model, name, always, NULL));
    name[0] = 'X';
    FAILS(cmc_model_invariant(model, "good", always, NULL), CMC_ERR_ARGUMENT, "of this name");
    FAILS(cmc_model_step(model, "good", same, NULL), CMC_ERR_ARGUMENT, "of this name");
    FAILS(cmc_model_sometimes(model, "deadlock", always, NULL), CMC_ERR_ARGUMENT, "built-in rule");
    FAILS(cmc_model_constraint(model, "cap:x", always, NULL), CMC_ERR_ARGUMENT, "built-in rule");
    FAILS(cmc_model_terminal(model, "", always, NULL), CMC_ERR_ARGUMENT, "one line of text");
    FAILS(cmc_model_invariant(model, "\xff", always, NULL), CMC_ERR_ARGUMENT, "UTF-8");
    FAILS(cmc_model_eventually(model, "bits", always, NULL, 1u << 30), CMC_ERR_ARGUMENT,
          "0x40000000");
    cmc_model_free(model);
}

static void null_is_refused_by_name(void)
{
    CmcModel *model = token_model(), *out = NULL;
    const uint8_t *settings = NULL;
    size_t len = 0;
    FAILS(cmc_model_new(NULL, NULL, &out), CMC_ERR_ARGUMENT, "CmcCore is NULL");
    FAILS(cmc_model_new(&token_core, NULL, NULL), CMC_ERR_ARGUMENT, "model is NULL");
    FAILS(cmc_model_set_up(NULL, NULL, NULL, 0, &out), CMC_ERR_ARGUMENT, "CmcCore is NULL");
    FAILS(cmc_model_set_up(&token_core, NULL, NULL, 1, &out), CMC_ERR_ARGUMENT, "set is NULL");
    FAILS(cmc_model_open(NULL, NULL, 0, &out), CMC_ERR_ARGUMENT, "path is NULL");
    FAILS(cmc_model_open("", NULL, 0, &out), CMC_ERR_ARGUMENT, "path is empty");
    FAILS(cmc_model_load(NULL, &out), CMC_ERR_ARGUMENT, "path is NULL");
    FAILS(cmc_model_invariant(NULL, "a", always, NULL), CMC_ERR_ARGUMENT, "model is NULL");
    FAILS(cmc_model_invariant(model, NULL, always, NULL), CMC_ERR_ARGUMENT, "name is NULL");
    FAILS(cmc_model_invariant(model, "a", NULL, NULL), CMC_ERR_ARGUMENT, "its function is NULL");
    FAILS(cmc_model_step(model, "a", NULL, NULL), CMC_ERR_ARGUMENT, "its function is NULL");
    FAILS(cmc_model_sometimes(model, "a", NULL, NULL), CMC_ERR_ARGUMENT, "its function is NULL");
    FAILS(cmc_model_eventually(model, "a", NULL, NULL, 0), CMC_ERR_ARGUMENT, "function is NULL");
    FAILS(cmc_model_constraint(model, "a", NULL, NULL), CMC_ERR_ARGUMENT, "its function is NULL");
    FAILS(cmc_model_terminal(model, "a", NULL, NULL), CMC_ERR_ARGUMENT, "its function is NULL");
    FAILS(cmc_model_format(model, NULL), CMC_ERR_ARGUMENT, "CmcFormat is NULL");
    FAILS(cmc_model_settings(model, NULL, &len), CMC_ERR_ARGUMENT, "settings is NULL");
    FAILS(cmc_model_settings(model, &settings, NULL), CMC_ERR_ARGUMENT, "len is NULL");
    CHECK(out == NULL && settings == NULL && len == 0);
    cmc_model_free(model);
    cmc_model_free(NULL);
}

static const CmcParameter parameters[] = {
    {.name = "rounds", .value = 2, .min = 1, .max = 9, .what = "how often a node has the token"}};

static int describe(CmcModel *model)
{
    return cmc_model_invariant(model, "at most two", token_had_at_most, (void *)&two);
}

static int describe_twice(CmcModel *model)
{
    CmcStatus status = cmc_model_invariant(model, "a", always, NULL);
    return status != CMC_OK ? (int)status : (int)cmc_model_invariant(model, "a", always, NULL);
}

static int describe_and_look_away(CmcModel *model)
{
    cmc_model_invariant(model, "lost", NULL, NULL);
    return CMC_OK;
}

static int describe_and_fail(CmcModel *model)
{
    (void)model;
    return -42;
}

static int describe_and_free(CmcModel *model)
{
    cmc_model_free(model);
    return CMC_OK;
}

static CmcSetup setup_with(int (*function)(CmcModel *))
{
    return (CmcSetup){.size = sizeof(CmcSetup),
                      .env = &token_env,
                      .parameters = parameters,
                      .parameter_count = 1,
                      .describe = function};
}

static void a_setup_has_parameters_and_describes(void)
{
    CmcModel *model = NULL;
    CmcSetup setup = setup_with(describe);
    OK(cmc_model_set_up(&token_core, &setup, NULL, 0, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    cmc_model_free(model);

    const char *const set[] = {"rounds=3", "nodes=2"};
    OK(cmc_model_set_up(&token_core, &setup, set, 2, &model));
    result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    TEXT(broken_by(result), "at most two");
    cmc_result_free(result);
    cmc_model_free(model);

    model = NULL;
    const char *const wrong[] = {"rounds=0"};
    FAILS(cmc_model_set_up(&token_core, &setup, wrong, 1, &model), CMC_ERR_ARGUMENT,
          "rounds (how often a node has the token) is a number from 1 to 9");
    static const char *const numbers[][2] = {
        {"nodes=0", "nodes is a number from 1 to 8"},
        {"nodes=9", "nodes is a number from 1 to 8"},
        {"max_messages=0", "max_messages is a number from 1 to 255"},
        {"max_replies=0", "max_replies is a number from 1 to 255"},
        {"max_persists=0", "max_persists is a number from 1 to 255"},
        {"drops=256", "drops is a number from 0 to 255"},
        {"crashes=+1", "crashes is a number from 0 to 255"},
        {"clients= 1", "clients is a number from 0 to 255"},
        {"clients.3=1", "there are 3 nodes, counted from 0"},
        {"rounds=+3", "is a number from 1 to 9"},
        {"network=tcp", "a network is fifo or bag"},
        {"rounds", "write NAME=VALUE"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        FAILS(cmc_model_set_up(&token_core, &setup, &numbers[i][0], 1, &model), CMC_ERR_ARGUMENT,
              numbers[i][1]);
    const char *const unknown[] = {"round=1"};
    FAILS(cmc_model_set_up(&token_core, &setup, unknown, 1, &model), CMC_ERR_ARGUMENT, "rounds");
    const char *const hole[] = {NULL};
    FAILS(cmc_model_set_up(&token_core, &setup, hole, 1, &model), CMC_ERR_ARGUMENT, "set[0]");
    CHECK(model == NULL);
}

static void the_settings_of_its_environment_are_not_read(void)
{
    CmcModel *model = NULL;
    CmcSetup setup = setup_with(describe);
    CmcEnv env = token_env;
    env.settings = NULL;
    env.settings_len = UINT16_MAX;
    setup.env = &env;
    OK(cmc_model_set_up(&token_core, &setup, NULL, 0, &model));
    cmc_model_free(model);
}

static void what_describe_says_is_the_sentence(void)
{
    CmcModel *model = NULL;
    CmcSetup setup = setup_with(describe_twice);
    FAILS(cmc_model_set_up(&token_core, &setup, NULL, 0, &model), CMC_ERR_MODEL,
          "returned -1: property \"a\": there is a property of this name");
    setup = setup_with(describe_and_look_away);
    FAILS(cmc_model_set_up(&token_core, &setup, NULL, 0, &model), CMC_ERR_MODEL,
          "returned 0: property \"lost\": its function is NULL");
    setup = setup_with(describe_and_fail);
    FAILS(cmc_model_set_up(&token_core, &setup, NULL, 0, &model), CMC_ERR_MODEL, "returned -42");
    CHECK(model == NULL);
    /* The model is not its to free; nothing is lost. */
    setup = setup_with(describe_and_free);
    OK(cmc_model_set_up(&token_core, &setup, NULL, 0, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    cmc_model_free(model);
}

/* A trace of a core file that was another when it was written: a departure says so. */
static void a_changed_core_is_told(const CmcModel *model)
{
    CmcResult *result = NULL;
    FILE *file = fopen("model.trace", "w");
    const char *trace = "cmc-trace 1\ncore: good.so\ncore-hash: 00\nverdict: violated\n"
                        "property: at most two\ninitial: 0\n\nDELIVER 2 1\n";
    CHECK(file != NULL && fputs(trace, file) >= 0 && fclose(file) == 0);
    FAILS(cmc_replay(model, "model.trace", NULL, &result), CMC_ERR_TRACE,
          "; warning: good.so has changed since the trace was written");
    CHECK(result == NULL);
    remove("model.trace");
}

static void core_files_are_opened(const char *good, const char *bad, const char *missing)
{
    CmcModel *model = NULL;
    const char *const set[] = {"rounds=3"};
    OK(cmc_model_open(good, set, 1, &model));
    a_changed_core_is_told(model);
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    const char *text = NULL;
    OK(cmc_result_text(result, &text));
    /* As its format shows it. */
    CHECK(strstr(text, "had: 2 -> 3") != NULL);
    cmc_model_free(model);
    /* The result needs neither the model nor the file. */
    CHECK(counts_of(result).distinct > 3);
    cmc_result_free(result);

    model = NULL;
    FAILS(cmc_model_open(bad, NULL, 0, &model), CMC_ERR_MODEL, "its function is NULL");
    /* The loader would end the process where the function is called. */
    FAILS(cmc_model_open(missing, NULL, 0, &model), CMC_ERR_MODEL,
          "undefined symbol: token_is_nowhere; link what it needs into it");
    FAILS(cmc_model_open("nowhere.so", NULL, 0, &model), CMC_ERR_MODEL, "nowhere.so");
    FAILS(cmc_model_open(__FILE__, NULL, 0, &model), CMC_ERR_MODEL, "needs a shared object");
    FAILS(cmc_model_load("nowhere.toml", &model), CMC_ERR_MODEL, "nowhere.toml");
    CHECK(model == NULL);
}

struct reentry {
    CmcModel *model;
    CmcStatus statuses[4];
    char said[200];
};

/* A predicate that uses its model. */
static bool reenters(void *user, const CmcWorld *world)
{
    struct reentry *reentry = user;
    CmcResult *result = NULL;
    const uint8_t *settings;
    size_t len;
    (void)world;
    reentry->statuses[0] = cmc_model_invariant(reentry->model, "late", always, NULL);
    snprintf(reentry->said, sizeof reentry->said, "%s", cmc_last_error());
    reentry->statuses[1] = cmc_search(reentry->model, NULL, &result);
    reentry->statuses[2] = cmc_model_settings(reentry->model, &settings, &len);
    cmc_model_free(reentry->model);
    reentry->statuses[3] = strstr(cmc_last_error(), "was not freed") ? CMC_ERR_ARGUMENT : CMC_OK;
    return true;
}

static void a_callback_cannot_use_its_model(void)
{
    struct reentry reentry = {.model = token_model()};
    OK(cmc_model_invariant(reentry.model, "reenters", reenters, &reentry));
    CmcSearch how = {.size = sizeof how, .workers = 1};
    CmcResult *result = searched(reentry.model, &how);
    CHECK(verdict_of(result) == CMC_PASS);
    for (int i = 0; i < 4; i++)
        CHECK(reentry.statuses[i] == CMC_ERR_ARGUMENT);
    CHECK(strstr(reentry.said, "has not returned") != NULL);
    cmc_result_free(result);
    /* It was refused, and the model is whole. */
    result = searched(reentry.model, &how);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    cmc_model_free(reentry.model);
}

int main(int argc, char **argv)
{
    names_are_unique_and_not_reserved();
    null_is_refused_by_name();
    a_setup_has_parameters_and_describes();
    the_settings_of_its_environment_are_not_read();
    what_describe_says_is_the_sentence();
    if (CHECK(argc == 4))
        core_files_are_opened(argv[1], argv[2], argv[3]);
    a_callback_cannot_use_its_model();
    return done();
}
