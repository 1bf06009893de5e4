/* Versions: of header and library; structures of an older header are filled up with zeros, those of a
 * newer one must have zeros in what this library does not know. */
#include "check.h"
#include "token.h"

static void header_and_library_belong_together(void)
{
    TEXT(cmc_version(), CMC_VERSION);
    CHECK(cmc_version() == cmc_version());
}

/* As a newer header would have it. */
typedef struct {
    CmcEnv env;
    uint64_t newer[2];
} NewerEnv;

typedef struct {
    CmcSearch search;
    uint64_t newer;
} NewerSearch;

typedef struct {
    CmcCore core;
    void (*newer)(void);
} NewerCore;

static void nothing(void)
{
}

static void newer_structures_must_not_ask_for_more(void)
{
    NewerEnv env = {.env = token_env};
    NewerCore core = {.core = token_core};
    NewerSearch how = {.search = {.size = sizeof how}};
    CmcModel *model = NULL;
    CmcResult *result = NULL;
    env.env.size = sizeof env;
    core.core.size = sizeof core;
    OK(cmc_model_new(&core.core, &env.env, &model));
    OK(cmc_search(model, &how.search, &result));
    CHECK(counts_of(result).distinct == 8);
    cmc_result_free(result);
    result = NULL;
    how.newer = 1;
    FAILS(cmc_search(model, &how.search, &result), CMC_ERR_VERSION, "use a newer library");
    cmc_model_free(model);
    model = NULL;
    env.newer[1] = 1;
    FAILS(cmc_model_new(&core.core, &env.env, &model), CMC_ERR_VERSION, "CmcEnv");
    env.newer[1] = 0;
    core.newer = nothing;
    FAILS(cmc_model_new(&core.core, &env.env, &model), CMC_ERR_VERSION, "CmcCore");
    CHECK(model == NULL && result == NULL);
}

static void older_structures_say_less(void)
{
    /* A CmcCore from before direct_actions, whose place holds something else. */
    CmcCore core = token_core;
    CmcModel *model = NULL;
    core.size = offsetof(CmcCore, direct_actions);
    memset(&core.direct_actions, 0x55, sizeof core.direct_actions);
    OK(cmc_model_new(&core, &token_env, &model));
    /* A CmcSearch that ends before its bounds. */
    CmcSearch how;
    CmcResult *result = NULL;
    memset(&how, 0x55, sizeof how);
    how.size = offsetof(CmcSearch, strategy);
    OK(cmc_search(model, &how, &result));
    CHECK(verdict_of(result) == CMC_PASS && counts_of(result).distinct == 8);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void sizes_that_were_never_set_are_refused(void)
{
    static const size_t sizes[] = {0, 1, 7, sizeof(CmcEnv) + 1, 4097, 0x5555555555555555u, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CmcModel *model = NULL;
        CmcEnv env = token_env;
        env.size = sizes[i];
        FAILS(cmc_model_new(&token_core, &env, &model), CMC_ERR_ARGUMENT, "sizeof(CmcEnv)");
        CmcCore core = token_core;
        core.size = sizes[i];
        FAILS(cmc_model_new(&core, &token_env, &model), CMC_ERR_ARGUMENT, "sizeof(CmcCore)");
        CmcSetup setup = {.size = sizes[i]};
        FAILS(cmc_model_set_up(&token_core, &setup, NULL, 0, &model), CMC_ERR_ARGUMENT,
              "sizeof(CmcSetup)");
        CHECK(model == NULL);
        OK(cmc_model_new(&token_core, &token_env, &model));
        CmcFormat format = {.size = sizes[i]};
        FAILS(cmc_model_format(model, &format), CMC_ERR_ARGUMENT, "sizeof(CmcFormat)");
        cmc_model_free(model);
    }
}

int main(void)
{
    header_and_library_belong_together();
    newer_structures_must_not_ask_for_more();
    older_structures_say_less();
    sizes_that_were_never_set_are_refused();
    return done();
}
