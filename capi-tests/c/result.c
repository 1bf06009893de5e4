/* Results: everything that can be read of one, for each verdict, and nothing past its ends. argv[1] is
 * a directory to write to. */
#include "check.h"
#include "token.h"

#include <stdlib.h>

static const Token one = {1}, two = {2};

static CmcResult *found(const Token *most, CmcModel **model)
{
    OK(cmc_model_new(&token_core, &token_env, model));
    OK(cmc_model_invariant(*model, "had", token_had_at_most, (void *)most));
    return searched(*model, NULL);
}

static void a_pass(void)
{
    CmcModel *model = NULL;
    CmcResult *result = found(&two, &model);
    size_t count = 9;
    const char *text = NULL, *property = NULL;
    uint64_t receipt = 9;
    CmcStep step;
    CHECK(verdict_of(result) == CMC_PASS);
    TEXT(why_of(result), "");
    CmcCounts counts = counts_of(result);
    CHECK(counts.distinct == 8 && counts.generated == 8 && counts.depth == 8);
    CHECK(counts.queue_left == 0 && counts.violations == 0);
    OK(cmc_result_receipt(result, CMC_DELIVER, &receipt));
    CHECK(receipt == 7);
    OK(cmc_result_receipt(result, CMC_RESTART, &receipt));
    CHECK(receipt == 0);
    OK(cmc_result_violations(result, &count));
    CHECK(count == 0);
    FAILS(cmc_result_bound(result, 0, &text), CMC_ERR_RANGE, "no bound 0");
    FAILS(cmc_result_violation(result, 0, &property, &text), CMC_ERR_RANGE, "no violation 0");
    FAILS(cmc_result_steps(result, 0, &count), CMC_ERR_RANGE, "no violation 0");
    FAILS(cmc_result_step(result, 0, 0, &step), CMC_ERR_RANGE, "no violation 0");
    FAILS(cmc_result_save(result, 0, "x"), CMC_ERR_RANGE, "no violation 0");
    CHECK(count == 0 && text == NULL && property == NULL);
    OK(cmc_result_text(result, &text));
    CHECK(strncmp(text, "token: pass\n", 12) == 0);
    OK(cmc_result_json(result, &text));
    CHECK(strstr(text, "\"verdict\": \"pass\"") != NULL && strstr(text, "\"distinct\": 8") != NULL);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void a_violation(const char *directory)
{
    static const char *const actions[] = {"", "DELIVER 1 0", "DELIVER 2 1", "DELIVER 0 2", "DELIVER 1 0"};
    static const int nodes[] = {-1, 1, 2, 0, 1};
    CmcModel *model = NULL;
    CmcResult *result = found(&one, &model);
    const char *property = NULL, *why = NULL, *text = NULL;
    size_t count = 0;
    CHECK(verdict_of(result) == CMC_VIOLATED);
    CHECK(counts_of(result).violations == 1);
    OK(cmc_result_violations(result, &count));
    CHECK(count == 1);
    OK(cmc_result_violation(result, 0, &property, &why));
    TEXT(property, "had");
    TEXT(why, why_of(result));
    OK(cmc_result_steps(result, 0, &count));
    CHECK(count == 5);
    for (size_t i = 0; i < count && i < 5; i++) {
        CmcStep step;
        OK(cmc_result_step(result, 0, i, &step));
        TEXT(step.action, actions[i]);
        CHECK(step.kind == (i == 0 ? 0 : CMC_DELIVER) && step.node == nodes[i]);
        CHECK(step.world != NULL && step.text[0] != '\0');
    }
    CmcStep step;
    FAILS(cmc_result_step(result, 0, 5, &step), CMC_ERR_RANGE, "no step 5: the last one is 4");
    FAILS(cmc_result_step(result, 0, SIZE_MAX, &step), CMC_ERR_RANGE, "no step");
    FAILS(cmc_result_step(result, 1, 0, &step), CMC_ERR_RANGE, "no violation 1: the last one is 0");
    OK(cmc_result_text(result, &text));
    CHECK(strncmp(text, "token: violated: had\n", 21) == 0);

    char path[1000];
    snprintf(path, sizeof path, "%s/result.trace", directory);
    OK(cmc_result_save(result, 0, path));
    FILE *file = fopen(path, "r");
    char line[100] = "";
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    TEXT(line, "cmc-trace 1\n");
    if (file != NULL)
        fclose(file);
    snprintf(path, sizeof path, "%s/not/there/result.trace", directory);
    FAILS(cmc_result_save(result, 0, path), CMC_ERR_SYSTEM, "not/there");
    FAILS(cmc_result_save(result, 1, path), CMC_ERR_RANGE, "no violation 1");
    cmc_result_free(result);
    cmc_model_free(model);
}

/* Breaks a built-in rule: the last step has no world. */
static void too_many(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)state, (void)event;
    for (int i = 0; i <= CMC_MAX_EFFECTS; i++)
        cmc_wake(out, 0);
}

/* Arms the timer that ran out, persists the record that was flushed, wakes the waiter that goes on. */
static void goes_on(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node;
    if (event->kind == CMC_EV_TIMER)
        cmc_arm(out, 1);
    else if (event->kind == CMC_EV_FLUSHED)
        cmc_persist(out, "record", 6);
    else if (event->kind == CMC_EV_WAKE)
        cmc_wake(out, 2);
    else
        return;
    ((Token *)state)->had = 2;
}

static void arms(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state;
    cmc_arm(out, 1);
}

static void persists(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state;
    cmc_persist(out, "record", 6);
}

static void wakes(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state;
    cmc_wake(out, 2);
}

static void starts_with_the_token(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node;
    if (event->kind == CMC_EV_RESTART) {
        ((Token *)state)->had = 2;
        cmc_send(out, 1, "token", 5);
    }
}

/* How often the story of a violation of `had` says `what`. */
static size_t told(const CmcCore *core, const CmcEnv *env, const char *what)
{
    CmcModel *model = NULL;
    const char *text = "";
    size_t count = 0;
    OK(cmc_model_new(core, env, &model));
    OK(cmc_model_invariant(model, "had", token_had_at_most, (void *)&one));
    CmcResult *result = searched(model, NULL);
    TEXT(broken_by(result), "had");
    OK(cmc_result_text(result, &text));
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    cmc_result_free(result);
    cmc_model_free(model);
    return count;
}

/* What is equal to something that was taken or lost is told all the same. */
static void what_is_asked_for_again_is_told_again(void)
{
    CmcEnv env = token_env;
    env.nodes = 1;
    CHECK(told(&token_core, &env, "node 0: sends to 0: \"token\"") == 3);
    CmcCore core = token_core;
    core.step = starts_with_the_token;
    env.nodes = 2;
    env.crashes = 1;
    CHECK(told(&core, &env, "node 0: sends to 1: \"token\"") == 2);
    core.step = goes_on;
    core.init = arms;
    CHECK(told(&core, NULL, "node 0: arms timer: 1") == 2);
    core.init = persists;
    CHECK(told(&core, NULL, "node 0: persists: \"record\"") == 2);
    core.init = wakes;
    CHECK(told(&core, NULL, "node 0: wakes waiter: 2") == 2);
}

static void a_step_that_stops(void)
{
    CmcCore core = token_core;
    CmcModel *model = NULL;
    CmcStep step;
    size_t count = 0;
    core.step = too_many;
    OK(cmc_model_new(&core, &token_env, &model));
    CmcResult *result = searched(model, NULL);
    TEXT(broken_by(result), "cap:effects");
    OK(cmc_result_steps(result, 0, &count));
    CHECK(count == 2);
    OK(cmc_result_step(result, 0, 0, &step));
    CHECK(step.world != NULL);
    OK(cmc_result_step(result, 0, 1, &step));
    CHECK(step.world == NULL && step.kind == CMC_DELIVER);
    cmc_result_free(result);
    cmc_model_free(model);
}

static bool never(void *user, const CmcWorld *world)
{
    (void)user, (void)world;
    return false;
}

static void what_never_happens_has_no_run(void)
{
    CmcModel *model = NULL;
    size_t count = 9;
    OK(cmc_model_new(&token_core, &token_env, &model));
    OK(cmc_model_sometimes(model, "wonder", never, NULL));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    TEXT(broken_by(result), "wonder");
    OK(cmc_result_steps(result, 0, &count));
    CHECK(count == 0);
    FAILS(cmc_result_save(result, 0, "x"), CMC_ERR_ARGUMENT, "no counterexample");
    cmc_result_free(result);
    cmc_model_free(model);
}

static void null_is_refused(void)
{
    CmcModel *model = NULL;
    CmcResult *result = found(&one, &model);
    CmcVerdict verdict;
    CmcCounts counts;
    CmcStep step;
    const char *text, *other;
    uint64_t receipt;
    size_t count;
    FAILS(cmc_result_verdict(NULL, &verdict), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_why(NULL, &text), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_counts(NULL, &counts), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_receipt(NULL, CMC_DROP, &receipt), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_bound(NULL, 0, &text), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_violations(NULL, &count), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_violation(NULL, 0, &text, &other), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_steps(NULL, 0, &count), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_step(NULL, 0, 0, &step), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_text(NULL, &text), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_json(NULL, &text), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_save(NULL, 0, "x"), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_result_verdict(result, NULL), CMC_ERR_ARGUMENT, "verdict is NULL");
    FAILS(cmc_result_why(result, NULL), CMC_ERR_ARGUMENT, "why is NULL");
    FAILS(cmc_result_counts(result, NULL), CMC_ERR_ARGUMENT, "counts is NULL");
    FAILS(cmc_result_receipt(result, CMC_DROP, NULL), CMC_ERR_ARGUMENT, "count is NULL");
    FAILS(cmc_result_receipt(result, 0, &receipt), CMC_ERR_ARGUMENT, "kind is 0");
    FAILS(cmc_result_receipt(result, 256 + CMC_DROP, &receipt), CMC_ERR_ARGUMENT, "kind is 258");
    FAILS(cmc_result_receipt(result, -1, &receipt), CMC_ERR_ARGUMENT, "kind is -1");
    FAILS(cmc_result_bound(result, 0, NULL), CMC_ERR_ARGUMENT, "bound is NULL");
    FAILS(cmc_result_violations(result, NULL), CMC_ERR_ARGUMENT, "count is NULL");
    FAILS(cmc_result_violation(result, 0, NULL, &other), CMC_ERR_ARGUMENT, "property is NULL");
    FAILS(cmc_result_violation(result, 0, &text, NULL), CMC_ERR_ARGUMENT, "why is NULL");
    FAILS(cmc_result_steps(result, 0, NULL), CMC_ERR_ARGUMENT, "count is NULL");
    FAILS(cmc_result_step(result, 0, 0, NULL), CMC_ERR_ARGUMENT, "out is NULL");
    FAILS(cmc_result_text(result, NULL), CMC_ERR_ARGUMENT, "text is NULL");
    FAILS(cmc_result_json(result, NULL), CMC_ERR_ARGUMENT, "json is NULL");
    FAILS(cmc_result_save(result, 0, NULL), CMC_ERR_ARGUMENT, "path is NULL");
    FAILS(cmc_result_save(result, 0, ""), CMC_ERR_ARGUMENT, "path is empty");
    cmc_result_free(result);
    cmc_result_free(NULL);
    cmc_model_free(model);
}

int main(int argc, char **argv)
{
    a_pass();
    if (CHECK(argc == 2))
        a_violation(argv[1]);
    what_is_asked_for_again_is_told_again();
    a_step_that_stops();
    what_never_happens_has_no_run();
    null_is_refused();
    return done();
}
