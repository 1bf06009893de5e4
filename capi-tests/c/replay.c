/* Replay: a trace that was saved comes out again, on the same core only, and a trace that says
 * something else does not. argv[1] is a directory to write to. */
#include "check.h"
#include "token.h"

static const Token one = {1};
static char path[1000];

static CmcModel *token_model(const CmcCore *core)
{
    CmcModel *model = NULL;
    OK(cmc_model_new(core, &token_env, &model));
    OK(cmc_model_invariant(model, "had", token_had_at_most, (void *)&one));
    return model;
}

static void write_trace(const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void refused(const CmcModel *model, const char *trace, const char *part)
{
    CmcResult *result = NULL;
    write_trace(trace);
    FAILS(cmc_replay(model, path, NULL, &result), CMC_ERR_TRACE, part);
    CHECK(result == NULL);
}

#define HEAD "cmc-trace 1\ndriver: token\nverdict: violated\nproperty: had\ninitial: 0\n\n"

int main(int argc, char **argv)
{
    if (!CHECK(argc == 2))
        return done();
    snprintf(path, sizeof path, "%s/replay.trace", argv[1]);

    CmcModel *model = token_model(&token_core);
    CmcResult *found = searched(model, NULL), *again = NULL;
    OK(cmc_result_save(found, 0, path));
    OK(cmc_replay(model, path, NULL, &again));
    CHECK(verdict_of(again) == CMC_VIOLATED);
    TEXT(broken_by(again), "had");
    size_t steps = 0, steps_again = 0;
    OK(cmc_result_steps(found, 0, &steps));
    OK(cmc_result_steps(again, 0, &steps_again));
    CHECK(steps == 5 && steps == steps_again);
    for (size_t i = 0; i < steps; i++) {
        CmcStep first, second;
        OK(cmc_result_step(found, 0, i, &first));
        OK(cmc_result_step(again, 0, i, &second));
        TEXT(second.action, first.action);
        CHECK(token_had_at_most((void *)&one, first.world) == token_had_at_most((void *)&one, second.world));
    }
    cmc_result_free(again);
    cmc_result_free(found);

    /* Those behind the first, whose ways lead through others. */
    CmcSearch all = {.size = sizeof all, .all_violations = true};
    found = searched(model, &all);
    size_t violations = 0;
    OK(cmc_result_violations(found, &violations));
    CHECK(violations == 4);
    for (size_t i = 0; i < violations; i++) {
        OK(cmc_result_save(found, i, path));
        again = NULL;
        OK(cmc_replay(model, path, NULL, &again));
        CHECK(verdict_of(again) == CMC_VIOLATED);
        TEXT(broken_by(again), "had");
        OK(cmc_result_steps(found, i, &steps));
        OK(cmc_result_steps(again, 0, &steps_again));
        CHECK(steps == 5 + i && steps == steps_again);
        /* What comes out of a replay can be saved and replayed in turn. */
        OK(cmc_result_save(again, 0, path));
        cmc_result_free(again);
        again = NULL;
        OK(cmc_replay(model, path, NULL, &again));
        CHECK(verdict_of(again) == CMC_VIOLATED);
        cmc_result_free(again);
    }
    cmc_result_free(found);

    /* Another core, and another name of it. */
    CmcCore other = token_core;
    other.name = "other";
    CmcModel *stranger = token_model(&other);
    again = NULL;
    FAILS(cmc_replay(stranger, path, NULL, &again), CMC_ERR_TRACE, "the core token, and other is not");
    CHECK(again == NULL);
    cmc_model_free(stranger);

    refused(model, "", "no trace of this version");
    refused(model, "cmc-trace 1\n\n", "the header has no");
    refused(model, "\xff\xfe", "UTF-8");
    refused(model, HEAD "DELIVER 2 1\n", "DELIVER 2 1");
    refused(model, HEAD "DELIVER 1 0\nnonsense\n", "nonsense");
    refused(model, HEAD "DELIVER 1 0\nDELIVER 2 1\n", "had");
    refused(model, "cmc-trace 1\nmodel: a.toml\nmodel-hash: 00\nverdict: violated\ninitial: 0\n\n",
            "the programs of a.toml");
    FAILS(cmc_replay(model, "nowhere.trace", NULL, &again), CMC_ERR_TRACE, "nowhere.trace");
    FAILS(cmc_replay(model, NULL, NULL, &again), CMC_ERR_ARGUMENT, "path is NULL");
    FAILS(cmc_replay(model, path, NULL, NULL), CMC_ERR_ARGUMENT, "result is NULL");
    FAILS(cmc_replay(NULL, path, NULL, &again), CMC_ERR_ARGUMENT, "model is NULL");
    CmcSearch how = {.size = 3};
    FAILS(cmc_replay(model, path, &how, &again), CMC_ERR_ARGUMENT, "CmcSearch is 3");
    CHECK(again == NULL);
    cmc_model_free(model);
    return done();
}
