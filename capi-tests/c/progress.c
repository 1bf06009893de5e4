/* Progress: told on the thread that searches, in numbers that grow, and able to end the search. */
#include "check.h"

#include <pthread.h>
#include <time.h>

/* A core with very many worlds: every node counts each of its requests, in any order. */
static void count_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void count_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)event, (void)out;
    ++*(uint8_t *)state;
}

static const CmcCore counters = {
    .size = sizeof(CmcCore), .name = "counters", .state_size = 1, .init = count_init, .step = count_step};

static const CmcEnv many = {.size = sizeof(CmcEnv),
                            .nodes = 8,
                            .clients = {250, 250, 250, 250, 250, 250, 250, 250}};

struct watch {
    pthread_t thread;
    int calls, most;
    CmcProgress last;
};

static bool watches(void *user, const CmcProgress *now)
{
    struct watch *watch = user;
    CHECK(pthread_equal(watch->thread, pthread_self()));
    CHECK(now->generated >= watch->last.generated && now->seconds >= watch->last.seconds);
    CHECK(now->generated > 0 && now->depth > 0 && now->seconds > 0);
    watch->last = *now;
    return ++watch->calls < watch->most;
}

static void interrupted(CmcSearch how)
{
    CmcModel *model = NULL;
    struct watch watch = {.thread = pthread_self(), .most = 2};
    const char *bound = NULL;
    how.size = sizeof how;
    how.progress = watches;
    how.user = &watch;
    OK(cmc_model_new(&counters, &many, &model));
    CmcResult *result = searched(model, &how);
    CHECK(verdict_of(result) == CMC_INCOMPLETE);
    CHECK(watch.calls == 2);
    OK(cmc_result_bound(result, 0, &bound));
    TEXT(bound, "interrupt");
    CHECK(strstr(why_of(result), "interrupted") != NULL);
    /* What a strategy does not count is not 0. */
    if (how.strategy == CMC_SEARCH_SIMULATE)
        CHECK(watch.last.distinct == UINT64_MAX && watch.last.walks < UINT64_MAX);
    else
        CHECK(watch.last.walks == UINT64_MAX && watch.last.distinct > 0);
    cmc_result_free(result);
    cmc_model_free(model);
}

static bool stops_at_once(void *user, const CmcProgress *now)
{
    (void)now;
    ++*(int *)user;
    return false;
}

static void a_short_search_need_not_be_told(void)
{
    CmcModel *model = NULL;
    CmcEnv env = {.size = sizeof env, .nodes = 2, .clients = {3, 3}};
    int calls = 0;
    CmcSearch how = {.size = sizeof how, .progress = stops_at_once, .user = &calls};
    OK(cmc_model_new(&counters, &env, &model));
    CmcResult *result = searched(model, &how);
    CHECK(verdict_of(result) == (calls == 0 ? CMC_PASS : CMC_INCOMPLETE));
    CHECK(calls > 0 || counts_of(result).distinct == 16);
    cmc_result_free(result);
    cmc_model_free(model);
}

int main(void)
{
    interrupted((CmcSearch){.workers = 1});
    interrupted((CmcSearch){.workers = 3});
    interrupted((CmcSearch){.strategy = CMC_SEARCH_DFS, .depth = 1000});
    interrupted((CmcSearch){.strategy = CMC_SEARCH_SIMULATE, .walks = UINT64_MAX});
    a_short_search_need_not_be_told();
    return done();
}
