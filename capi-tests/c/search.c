/* Searches: strategies, bounds, rules of every kind, and what a CmcSearch cannot mean. */
#include "check.h"
#include "token.h"

static const Token one = {1}, two = {2};

static CmcModel *token_model(void)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(&token_core, &token_env, &model));
    return model;
}

static bool always(void *user, const CmcWorld *world)
{
    (void)user, (void)world;
    return true;
}

static bool never(void *user, const CmcWorld *world)
{
    (void)user, (void)world;
    return false;
}

static unsigned total_had(const CmcWorld *world)
{
    unsigned total = 0;
    for (size_t node = 0; node < 3; node++) {
        const void *state;
        size_t len;
        if (cmc_world_state(world, node, &state, &len) == CMC_OK)
            total += ((const Token *)state)->had;
    }
    return total;
}

static bool total_is(void *user, const CmcWorld *world)
{
    return total_had(world) == *(const unsigned *)user;
}

static bool total_is_at_most(void *user, const CmcWorld *world)
{
    return total_had(world) <= *(const unsigned *)user;
}

static bool grows(void *user, const CmcWorld *before, const CmcWorld *after)
{
    (void)user;
    return total_had(before) <= total_had(after);
}

static bool never_steps(void *user, const CmcWorld *before, const CmcWorld *after)
{
    (void)user, (void)before, (void)after;
    return false;
}

/* Search a token model with one rule, which `add` adds, and expect this. */
static void expect(CmcStatus (*add)(CmcModel *, const char *, CmcHolds, void *), CmcHolds holds,
                   void *user, CmcSearch how, CmcVerdict verdict, const char *property)
{
    CmcModel *model = token_model();
    if (add != NULL)
        OK(add(model, "rule", holds, user));
    how.size = sizeof how;
    CmcResult *result = searched(model, &how);
    if (!CHECK(verdict_of(result) == verdict))
        printf("  %s\n", why_of(result));
    TEXT(broken_by(result), property);
    cmc_result_free(result);
    cmc_model_free(model);
}

static CmcStatus eventually(CmcModel *model, const char *name, CmcHolds holds, void *user)
{
    return cmc_model_eventually(model, name, holds, user, 0);
}

static void rules_of_every_kind(void)
{
    static unsigned three = 3, six = 6, seven = 7;
    CmcSearch plain = {.workers = 2}, deadlock = {.deadlock = true};
    expect(cmc_model_invariant, token_had_at_most, (void *)&two, plain, CMC_PASS, "");
    expect(cmc_model_invariant, token_had_at_most, (void *)&one, plain, CMC_VIOLATED, "rule");
    expect(cmc_model_sometimes, total_is, &three, plain, CMC_PASS, "");
    expect(cmc_model_sometimes, total_is, &seven, plain, CMC_VIOLATED, "rule");
    expect(eventually, total_is, &six, plain, CMC_PASS, "");
    expect(eventually, total_is, &seven, plain, CMC_VIOLATED, "rule");
    expect(NULL, NULL, NULL, deadlock, CMC_VIOLATED, "deadlock");
    expect(cmc_model_terminal, always, NULL, deadlock, CMC_PASS, "");
    expect(cmc_model_terminal, never, NULL, deadlock, CMC_VIOLATED, "deadlock");

    CmcModel *model = token_model();
    OK(cmc_model_step(model, "grows", grows, NULL));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    OK(cmc_model_step(model, "stands still", never_steps, NULL));
    result = searched(model, NULL);
    TEXT(broken_by(result), "stands still");
    cmc_result_free(result);
    cmc_model_free(model);

    /* The start and seven steps; what has more than three is checked, counted and dropped. */
    model = token_model();
    OK(cmc_model_constraint(model, "few", total_is_at_most, &three));
    result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    CHECK(counts_of(result).distinct == 4 && counts_of(result).generated == 5);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void strategies_agree(void)
{
    static const CmcSearch hows[] = {
        {.size = sizeof(CmcSearch), .workers = 1},
        {.size = sizeof(CmcSearch), .workers = 3},
        {.size = sizeof(CmcSearch)},
        {.size = sizeof(CmcSearch), .det = true},
        {.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_DFS, .depth = 20},
        {.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_ITERATIVE, .depth = 20},
    };
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        CmcModel *model = token_model();
        CmcResult *result = searched(model, &hows[i]);
        CHECK(verdict_of(result) == CMC_PASS);
        CHECK(counts_of(result).distinct == 8 && counts_of(result).depth == 8);
        CHECK(counts_of(result).violations == 0 && counts_of(result).seconds >= 0);
        cmc_result_free(result);
        OK(cmc_model_invariant(model, "at most one", token_had_at_most, (void *)&one));
        result = searched(model, &hows[i]);
        CHECK(verdict_of(result) == CMC_VIOLATED);
        size_t steps = 0;
        OK(cmc_result_steps(result, 0, &steps));
        CHECK(steps == 5);
        cmc_result_free(result);
        cmc_model_free(model);
    }
}

static void walks_are_never_a_pass(void)
{
    CmcSearch how = {.strategy = CMC_SEARCH_SIMULATE, .walks = 5, .seed = 7};
    expect(cmc_model_invariant, token_had_at_most, (void *)&two, how, CMC_INCOMPLETE, "");
    expect(cmc_model_invariant, token_had_at_most, (void *)&one, how, CMC_VIOLATED, "rule");
    CmcModel *model = token_model();
    how.size = sizeof how;
    CmcResult *result = searched(model, &how);
    CHECK(counts_of(result).distinct == UINT64_MAX);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void bounds_are_told(void)
{
    static const struct {
        CmcSearch how;
        const char *bound;
    } cases[] = {
        {{.size = sizeof(CmcSearch), .depth = 3}, "depth"},
        {{.size = sizeof(CmcSearch), .max_states = 3}, "states"},
        {{.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_DFS, .depth = 3}, "depth"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CmcModel *model = token_model();
        CmcResult *result = searched(model, &cases[i].how);
        const char *bound = NULL;
        CHECK(verdict_of(result) == CMC_INCOMPLETE);
        OK(cmc_result_bound(result, 0, &bound));
        TEXT(bound, cases[i].bound);
        FAILS(cmc_result_bound(result, 1, &bound), CMC_ERR_RANGE, "no bound 1");
        CHECK(strstr(why_of(result), "cut the search") != NULL);
        cmc_result_free(result);
        cmc_model_free(model);
    }
}

/* Answers by a byte that no other call has written. */
static uint8_t calls_of_careless;

static void careless_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)event, (void)out;
    *(uint8_t *)state = ++calls_of_careless;
}

static void det_finds_what_a_core_keeps_to_itself(void)
{
    CmcCore careless = token_core;
    careless.step = careless_step;
    CmcModel *model = NULL;
    OK(cmc_model_new(&careless, &token_env, &model));
    CmcSearch how = {.size = sizeof how, .det = true, .workers = 1};
    CmcResult *result = NULL;
    OK(cmc_search(model, &how, &result));
    CHECK(verdict_of(result) == CMC_VIOLATED);
    TEXT(broken_by(result), "det");
    cmc_result_free(result);
    cmc_model_free(model);
}

static void all_violations_are_told(void)
{
    CmcModel *model = token_model();
    OK(cmc_model_invariant(model, "at most one", token_had_at_most, (void *)&one));
    CmcSearch how = {.size = sizeof how, .all_violations = true};
    CmcResult *result = searched(model, &how);
    CHECK(verdict_of(result) == CMC_VIOLATED);
    /* Worlds with a total of four to six, and the last one where the token is lost. */
    size_t count = 0;
    OK(cmc_result_violations(result, &count));
    CHECK(count == 4 && counts_of(result).violations == 4);
    for (size_t i = 0; i < count; i++) {
        size_t steps = 0;
        CmcStep last;
        OK(cmc_result_steps(result, i, &steps));
        CHECK(steps == 5 + i);
        OK(cmc_result_step(result, i, steps - 1, &last));
        CHECK(last.kind == CMC_DELIVER && last.world != NULL);
        CHECK(!token_had_at_most((void *)&one, last.world));
    }
    cmc_result_free(result);
    cmc_model_free(model);
}

static void nonsense_is_refused(void)
{
    static const struct {
        CmcSearch how;
        const char *part;
    } cases[] = {
        {{.size = sizeof(CmcSearch), .strategy = 9}, "strategy is 9"},
        {{.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_DFS}, "CMC_SEARCH_DFS needs a bound"},
        {{.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_ITERATIVE}, "needs a bound"},
        {{.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_SIMULATE}, "walks is 0"},
        {{.size = sizeof(CmcSearch), .strategy = CMC_SEARCH_SIMULATE, .walks = 1, .max_states = 1},
         "store no states"},
        {{.size = sizeof(CmcSearch), .walks = 1}, "walks are for CMC_SEARCH_SIMULATE"},
        {{.size = sizeof(CmcSearch), .workers = 1025}, "workers is 1025"},
        {{.size = sizeof(CmcSearch), .back_end = CMC_BACK_END_ZYGOTE}, "are for models of programs"},
        {{.size = sizeof(CmcSearch), .audit = 5}, "are for models of programs"},
        {{.size = 0}, "size of a CmcSearch is 0"},
        {{.size = 7}, "size of a CmcSearch is 7"},
        {{.size = (size_t)-1}, "set its first field to sizeof(CmcSearch)"},
    };
    CmcModel *model = token_model();
    CmcResult *result = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        FAILS(cmc_search(model, &cases[i].how, &result), CMC_ERR_ARGUMENT, cases[i].part);
    FAILS(cmc_search(NULL, NULL, &result), CMC_ERR_ARGUMENT, "model is NULL");
    FAILS(cmc_search(model, NULL, NULL), CMC_ERR_ARGUMENT, "result is NULL");
    CHECK(result == NULL);
    /* A truth value may be any byte. */
    CmcSearch how = {.size = sizeof how};
    memset(&how.deadlock, 0x42, sizeof how.deadlock);
    result = searched(model, &how);
    TEXT(broken_by(result), "deadlock");
    cmc_result_free(result);
    cmc_model_free(model);
}

int main(void)
{
    rules_of_every_kind();
    strategies_agree();
    walks_are_never_a_pass();
    bounds_are_told();
    det_finds_what_a_core_keeps_to_itself();
    all_violations_are_told();
    nonsense_is_refused();
    return done();
}
