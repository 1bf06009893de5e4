/* The environment: defaults, budgets, caps, settings, and what it cannot mean. */
#include "check.h"
#include "token.h"

static CmcCounts counted(const CmcEnv *env)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, env, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    CmcCounts counts = counts_of(result);
    cmc_result_free(result);
    cmc_model_free(model);
    return counts;
}

static void refused(CmcEnv env, CmcStatus status, const char *part)
{
    CmcModel *model = NULL;
    FAILS(cmc_model_new(&token_core, &env, &model), status, part);
    CHECK(model == NULL);
}

static void zero_is_the_default(void)
{
    CmcEnv env = {.size = sizeof env};
    /* One node sends to itself: the start, two rounds, and one that it drops. */
    CHECK(counted(&env).distinct == 4);
    CHECK(counted(NULL).distinct == 4);
    env.nodes = 1;
    env.max_messages = 64;
    CHECK(counted(&env).distinct == 4);
}

static void settings_are_copied(void)
{
    uint8_t rounds[1] = {3};
    CmcEnv env = {.size = sizeof env, .nodes = 3, .settings_len = 1, .settings = rounds};
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, &env, &model));
    rounds[0] = 99;
    const uint8_t *settings = NULL;
    size_t len = 0;
    OK(cmc_model_settings(model, &settings, &len));
    CHECK(len == 1 && settings != rounds && settings[0] == 3);
    CmcResult *result = searched(model, NULL);
    CHECK(counts_of(result).distinct == 11);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void budgets_make_more_worlds(void)
{
    CmcEnv env = token_env;
    uint64_t plain = counted(&env).distinct;
    env.crashes = 1;
    CHECK(counted(&env).distinct > plain);
    env = token_env;
    env.drops = 1;
    CHECK(counted(&env).distinct > plain);
    env = token_env;
    env.clients[2] = 1;
    CHECK(counted(&env).distinct > plain);
    env = token_env;
    env.network = CMC_NET_BAG;
    CHECK(counted(&env).distinct == plain);
    env.dups = 1;
    CHECK(counted(&env).distinct > plain);
}

static void a_cap_is_a_violation(void)
{
    CmcEnv env = token_env;
    env.clients[0] = 2;
    env.max_replies = 1;
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, &env, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    TEXT(broken_by(result), "cap:replies");
    cmc_result_free(result);
    cmc_model_free(model);
}

static void nonsense_is_refused(void)
{
    CmcEnv env = token_env;
    env.nodes = CMC_MAX_NODES + 1;
    refused(env, CMC_ERR_ARGUMENT, "nodes is 9");
    env = token_env;
    env.network = 7;
    refused(env, CMC_ERR_ARGUMENT, "network is 7");
    env = token_env;
    env.dups = 1;
    refused(env, CMC_ERR_ARGUMENT, "FIFO network, which never duplicates");
    env = token_env;
    env.clients[3] = 1;
    refused(env, CMC_ERR_ARGUMENT, "clients[3] is 1");
    env = token_env;
    env.settings = NULL;
    refused(env, CMC_ERR_ARGUMENT, "settings is NULL");
    env = token_env;
    env.settings_len = CMC_MAX_SETTINGS + 1;
    refused(env, CMC_ERR_ARGUMENT, "settings_len is 257");
}

int main(void)
{
    zero_is_the_default();
    settings_are_copied();
    budgets_make_more_worlds();
    a_cap_is_a_violation();
    nonsense_is_refused();
    return done();
}
