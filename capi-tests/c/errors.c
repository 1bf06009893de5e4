/* Errors: what statuses mean, whose the last sentence is, and that what fails writes nothing. */
#include "check.h"
#include "token.h"

#include <pthread.h>

static void every_status_has_a_meaning(void)
{
    for (int status = CMC_ERR_RANGE; status <= CMC_OK; status++) {
        CHECK(strlen(cmc_strerror(status)) > 4);
        CHECK(cmc_strerror(status) == cmc_strerror(status));
        for (int other = status + 1; other <= CMC_OK; other++)
            CHECK(strcmp(cmc_strerror(status), cmc_strerror(other)) != 0);
    }
    TEXT(cmc_strerror(1), "no status of this library");
    TEXT(cmc_strerror(-2147483647), "no status of this library");
}

static void *on_another_thread(void *unused)
{
    CmcModel *model = NULL;
    (void)unused;
    TEXT(cmc_last_error(), "");
    FAILS(cmc_model_load("other.toml", &model), CMC_ERR_MODEL, "other.toml");
    return NULL;
}

static void a_sentence_belongs_to_its_thread(void)
{
    CmcModel *model = NULL;
    pthread_t thread;
    TEXT(cmc_last_error(), "");
    FAILS(cmc_model_load("mine.toml", &model), CMC_ERR_MODEL, "mine.toml");
    CHECK(pthread_create(&thread, NULL, on_another_thread, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(strstr(cmc_last_error(), "mine.toml") != NULL);
    /* A call that succeeds leaves it. */
    OK(cmc_model_new(&token_core, NULL, &model));
    CHECK(strstr(cmc_last_error(), "mine.toml") != NULL);
    cmc_model_free(model);
}

static void what_fails_writes_nothing(void)
{
    CmcModel *const model_before = (CmcModel *)&check_failures;
    CmcResult *const result_before = (CmcResult *)&check_failures;
    CmcModel *model = model_before, *good = NULL;
    CmcResult *result = result_before;
    CmcEnv env = token_env;
    env.network = 9;
    FAILS(cmc_model_new(&token_core, &env, &model), CMC_ERR_ARGUMENT, "network is 9");
    FAILS(cmc_model_open("nowhere", NULL, 0, &model), CMC_ERR_MODEL, "nowhere");
    FAILS(cmc_model_load("nowhere", &model), CMC_ERR_MODEL, "nowhere");
    CHECK(model == model_before);
    OK(cmc_model_new(&token_core, &token_env, &good));
    CmcSearch how = {.size = sizeof how, .strategy = 77};
    FAILS(cmc_search(good, &how, &result), CMC_ERR_ARGUMENT, "strategy is 77");
    FAILS(cmc_replay(good, "nowhere.trace", NULL, &result), CMC_ERR_TRACE, "nowhere.trace");
    CHECK(result == result_before);
    OK(cmc_search(good, NULL, &result));
    CmcStep step;
    memset(&step, 0x5a, sizeof step);
    FAILS(cmc_result_step(result, 0, 0, &step), CMC_ERR_RANGE, "no violation 0");
    CHECK(step.kind == 0x5a && step.node == 0x5a5a);
    cmc_result_free(result);
    cmc_model_free(good);
}

/* A core whose functions write behind their state: nobody knows what else was hit. */
static void writes_beside(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)event, (void)out;
    memset(state, 1, sizeof(Token) + 1);
}

static void what_cannot_be_checked_is_an_error_and_no_pass(void)
{
    CmcCore core = token_core;
    CmcModel *model = NULL;
    core.step = writes_beside;
    OK(cmc_model_new(&core, &token_env, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_ERROR);
    CHECK(strstr(why_of(result), "wrote behind the 1 bytes of its state") != NULL);
    size_t count = 9;
    OK(cmc_result_violations(result, &count));
    CHECK(count == 0);
    cmc_result_free(result);
    cmc_model_free(model);
}

int main(void)
{
    every_status_has_a_meaning();
    a_sentence_belongs_to_its_thread();
    what_fails_writes_nothing();
    what_cannot_be_checked_is_an_error_and_no_pass();
    return done();
}
