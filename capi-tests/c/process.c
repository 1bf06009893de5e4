/* Programs as nodes: checked from any thread, several models at once, and without disturbing the
 * program around: its signal handlers, its children. argv: kv.toml, kv-bug.toml, cmc-preload.so. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *kv, *kv_bug, *preload;

/* The two cells of kv, as C reads them. */
static bool cells_are_bits(void *user, const CmcWorld *world)
{
    const void *state;
    const uint8_t *cells;
    size_t len, count = 0;
    bool alive;
    int64_t micros;
    ++*(int *)user;
    if (cmc_world_alive(world, 0, &alive) != CMC_OK || !alive)
        return false;
    if (cmc_world_state(world, 0, &state, &len) != CMC_OK || len < 2)
        return false;
    if (cmc_world_clock(world, 0, &micros) != CMC_OK || micros != 0)
        return false;
    if (cmc_world_replies(world, &count) != CMC_OK || count > 2)
        return false;
    for (size_t i = 0; i < count; i++) {
        CmcReply reply;
        if (cmc_world_reply(world, i, &reply) != CMC_OK || reply.client != 0 || reply.node != -1)
            return false;
    }
    cells = state;
    return cells[0] <= 1 && cells[1] <= 1;
}

static CmcModel *loaded(const char *path)
{
    CmcModel *model = NULL;
    OK(cmc_model_load(path, &model));
    return model;
}

static void back_ends_agree(void)
{
    for (uint8_t back_end = 0; back_end <= CMC_BACK_END_ZYGOTE; back_end++) {
        int calls = 0;
        CmcModel *model = loaded(kv);
        CmcSearch how = {.size = sizeof how, .back_end = back_end, .workers = 1, .preload = preload};
        OK(cmc_model_invariant(model, "bits in C", cells_are_bits, &calls));
        CmcResult *result = searched(model, &how);
        if (!CHECK(verdict_of(result) == CMC_PASS))
            printf("  %s\n", why_of(result));
        CHECK(counts_of(result).distinct == 12 && counts_of(result).generated == 15);
        CHECK(calls >= 12);
        cmc_result_free(result);
        cmc_model_free(model);
    }
}

/* The library that this runs with is installed, and its preload in cmc/ beside it. */
static void the_preload_is_found(void)
{
    CmcModel *model = loaded(kv);
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void a_counterexample_is_read_saved_and_replayed(void)
{
    CmcModel *model = loaded(kv_bug);
    CmcSearch how = {.size = sizeof how, .preload = preload, .audit = CMC_AUDIT_FULL};
    CmcResult *result = searched(model, &how), *again = NULL;
    CHECK(verdict_of(result) == CMC_VIOLATED);
    TEXT(broken_by(result), "a cell once set stays set");
    size_t steps = 0;
    OK(cmc_result_steps(result, 0, &steps));
    CHECK(steps == 7);
    CmcStep step;
    const void *state;
    size_t len;
    OK(cmc_result_step(result, 0, steps - 1, &step));
    CHECK(step.world != NULL && step.node == 0);
    OK(cmc_world_state(step.world, 0, &state, &len));
    CHECK(((const uint8_t *)state)[0] + ((const uint8_t *)state)[1] == 1);
    char path[] = "process.XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    OK(cmc_result_save(result, 0, path));
    OK(cmc_replay(model, path, &how, &again));
    CHECK(verdict_of(again) == CMC_VIOLATED);
    CHECK(unlink(path) == 0);
    cmc_result_free(again);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void what_programs_do_not_have_is_refused(void)
{
    CmcModel *model = loaded(kv);
    CmcResult *result = NULL;
    const uint8_t *settings;
    size_t len;
    CmcSearch det = {.size = sizeof det, .det = true, .preload = preload};
    FAILS(cmc_search(model, &det, &result), CMC_ERR_ARGUMENT, "det is for cores");
    CmcSearch audit = {.size = sizeof audit, .audit = 1001, .preload = preload};
    FAILS(cmc_search(model, &audit, &result), CMC_ERR_ARGUMENT, "audit is 1001");
    CmcSearch both = {.size = sizeof both, .audit = 5, .back_end = 1, .preload = preload};
    FAILS(cmc_search(model, &both, &result), CMC_ERR_ARGUMENT, "learns no steps to audit");
    CmcSearch other = {.size = sizeof other, .back_end = 3, .preload = preload};
    FAILS(cmc_search(model, &other, &result), CMC_ERR_ARGUMENT, "back_end is 3");
    CmcSearch nowhere = {.size = sizeof nowhere, .preload = "nowhere.so"};
    FAILS(cmc_search(model, &nowhere, &result), CMC_ERR_SYSTEM, "nowhere.so");
    CmcFormat format = {.size = sizeof format};
    FAILS(cmc_model_format(model, &format), CMC_ERR_ARGUMENT, "is for cores");
    CmcHistory history = {.size = sizeof history};
    FAILS(cmc_model_history(model, &history), CMC_ERR_ARGUMENT, "[history] in the model file");
    FAILS(cmc_model_settings(model, &settings, &len), CMC_ERR_ARGUMENT, "no settings");
    CHECK(result == NULL);
    cmc_model_free(model);
}

static volatile sig_atomic_t children, interrupts;

static void on_child(int signal)
{
    (void)signal;
    children++;
}

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

static void same_handler(int signal, void (*wanted)(int))
{
    struct sigaction now;
    CHECK(sigaction(signal, NULL, &now) == 0);
    CHECK(now.sa_handler == wanted && (now.sa_flags & SA_RESTART) == 0);
}

/* Handlers stay, interrupted calls are made again, and a child of the program's own stays its own. */
static void the_program_around_is_left_alone(void)
{
    struct sigaction action = {.sa_handler = on_child}, interrupt = {.sa_handler = on_interrupt};
    sigset_t before, after;
    int ends[2], status = 0;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    sigemptyset(&action.sa_mask);
    sigemptyset(&interrupt.sa_mask);
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0 && sigaction(SIGINT, &interrupt, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0 && pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 7 : 8);
    }
    for (int i = 0; i < 3; i++) {
        CmcModel *model = loaded(kv);
        CmcSearch how = {.size = sizeof how, .workers = 2, .preload = preload};
        CmcResult *result = searched(model, &how);
        if (!CHECK(verdict_of(result) == CMC_PASS))
            printf("  %s\n", why_of(result));
        cmc_result_free(result);
        cmc_model_free(model);
    }
    same_handler(SIGCHLD, on_child);
    same_handler(SIGINT, on_interrupt);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    raise(SIGINT);
    CHECK(interrupts == 1);
    CHECK(children > 0);
    /* No node is left; the program's own child is. */
    CHECK(waitpid(-1, &status, WNOHANG) == 0);
    close(ends[0]);
    close(ends[1]);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(waitpid(-1, &status, WNOHANG) == -1);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

static void ignored_children_are_an_error(void)
{
    CmcModel *model = loaded(kv);
    CmcResult *result = NULL;
    CmcSearch how = {.size = sizeof how, .preload = preload};
    signal(SIGCHLD, SIG_IGN);
    FAILS(cmc_search(model, &how, &result), CMC_ERR_SYSTEM, "SIGCHLD is ignored");
    signal(SIGCHLD, SIG_DFL);
    CHECK(result == NULL);
    cmc_model_free(model);
}

static void *checks(void *path)
{
    CmcModel *model = loaded(path);
    CmcSearch how = {.size = sizeof how, .workers = 2, .preload = preload};
    CmcResult *result = searched(model, &how);
    if (!CHECK(verdict_of(result) == (path == kv ? CMC_PASS : CMC_VIOLATED)))
        printf("  %s\n", why_of(result));
    cmc_result_free(result);
    cmc_model_free(model);
    return NULL;
}

static void several_threads_check_at_once(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, checks, (void *)(i == 1 ? kv_bug : kv)) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static bool stop(void *user, const CmcProgress *now)
{
    (void)user, (void)now;
    return false;
}

static void a_search_of_programs_can_be_ended(void)
{
    CmcModel *model = loaded(kv);
    CmcSearch how = {.size = sizeof how, .preload = preload, .strategy = CMC_SEARCH_SIMULATE,
                     .walks = 1000000, .progress = stop};
    CmcResult *result = searched(model, &how);
    const char *bound = NULL;
    CHECK(verdict_of(result) == CMC_INCOMPLETE);
    OK(cmc_result_bound(result, 0, &bound));
    TEXT(bound, "interrupt");
    cmc_result_free(result);
    cmc_model_free(model);
}

int main(int argc, char **argv)
{
    if (!CHECK(argc == 4))
        return done();
    kv = argv[1], kv_bug = argv[2], preload = argv[3];
    back_ends_agree();
    the_preload_is_found();
    a_counterexample_is_read_saved_and_replayed();
    what_programs_do_not_have_is_refused();
    the_program_around_is_left_alone();
    ignored_children_are_an_error();
    several_threads_check_at_once();
    a_search_of_programs_can_be_ended();
    return done();
}
