/* Threads: models on several threads at once, predicates on the workers of one search, a result that
 * several threads read, and a model that two threads want at once. With CARELESS a predicate counts
 * without care, which the sanitizer for threads must find. */
#include "check.h"
#include "token.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4

static const Token one = {1}, two = {2};

static CmcModel *token_model(const Token *most)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, &token_env, &model));
    OK(cmc_model_invariant(model, "had", token_had_at_most, (void *)most));
    return model;
}

static void *searches(void *most)
{
    for (int i = 0; i < 20; i++) {
        CmcModel *model = token_model(most);
        CmcSearch how = {.size = sizeof how, .workers = 1};
        CmcResult *result = searched(model, &how);
        CHECK(verdict_of(result) == (most == &one ? CMC_VIOLATED : CMC_PASS));
        CHECK(counts_of(result).distinct == (most == &one ? 5 : 8));
        cmc_result_free(result);
        cmc_model_free(model);
    }
    return NULL;
}

static void models_are_independent(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, searches, (void *)(i % 2 ? &one : &two)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static bool counts(void *user, const CmcWorld *world)
{
    const void *state;
    size_t len;
#ifdef CARELESS
    *(volatile unsigned *)user += 1;
#else
    atomic_fetch_add((atomic_uint *)user, 1);
#endif
    for (size_t node = 0; node < 3; node++)
        if (cmc_world_state(world, node, &state, &len) != CMC_OK)
            return false;
    return true;
}

static void a_predicate_is_called_by_all_workers(void)
{
    CmcModel *model = NULL;
    CmcEnv env = token_env;
    atomic_uint calls = 0;
    env.clients[0] = env.clients[1] = env.clients[2] = 1;
    env.crashes = 1;
    CmcSearch how = {.size = sizeof how, .workers = 3};
    OK(cmc_model_new(&token_core, &env, &model));
    OK(cmc_model_invariant(model, "counts", counts, &calls));
    CmcResult *result = searched(model, &how);
    CHECK(verdict_of(result) == CMC_PASS);
    CHECK(calls >= counts_of(result).distinct && counts_of(result).distinct > 1000);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void *reads(void *result)
{
    for (int i = 0; i < 100; i++) {
        CmcStep step;
        size_t steps = 0, len, messages;
        const void *state;
        OK(cmc_result_steps(result, 0, &steps));
        for (size_t at = 0; at < steps; at++) {
            OK(cmc_result_step(result, 0, at, &step));
            OK(cmc_world_state(step.world, at % 3, &state, &len));
            OK(cmc_world_messages(step.world, &messages));
        }
        CHECK(verdict_of(result) == CMC_VIOLATED && steps == 5);
    }
    return NULL;
}

static void a_result_is_read_by_many(void)
{
    pthread_t threads[THREADS];
    CmcModel *model = token_model(&one);
    CmcResult *result = searched(model, NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, reads, result) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cmc_result_free(result);
    cmc_model_free(model);
}

/* Two threads want one model: one gets it, and the other is told. */
struct shared {
    CmcModel *model;
    atomic_int searching, refused;
};

static bool waits(void *user, const CmcWorld *world)
{
    struct shared *shared = user;
    (void)world;
    atomic_store(&shared->searching, 1);
    while (!atomic_load(&shared->refused))
        ;
    return true;
}

static void *wants(void *user)
{
    struct shared *shared = user;
    CmcResult *result = NULL;
    while (!atomic_load(&shared->searching))
        ;
    FAILS(cmc_search(shared->model, NULL, &result), CMC_ERR_ARGUMENT, "runs on another thread");
    CHECK(result == NULL);
    atomic_store(&shared->refused, 1);
    return NULL;
}

static void a_model_is_for_one_thread_at_a_time(void)
{
    pthread_t thread;
    struct shared shared = {.model = token_model(&two)};
    OK(cmc_model_invariant(shared.model, "waits", waits, &shared));
    CHECK(pthread_create(&thread, NULL, wants, &shared) == 0);
    CmcSearch how = {.size = sizeof how, .workers = 1};
    CmcResult *result = searched(shared.model, &how);
    CHECK(verdict_of(result) == CMC_PASS);
    pthread_join(thread, NULL);
    cmc_result_free(result);
    cmc_model_free(shared.model);
}

int main(void)
{
    models_are_independent();
    a_predicate_is_called_by_all_workers();
    a_result_is_read_by_many();
    a_model_is_for_one_thread_at_a_time();
    return done();
}
