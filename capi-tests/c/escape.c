/* A callback that does not return, which is outside of the contract, leaves a model that is refused,
 * not one that goes on with what was left behind. */
#include "check.h"
#include "token.h"

#include <setjmp.h>

static jmp_buf out;

static bool escapes(void *user, const CmcWorld *world)
{
    (void)user, (void)world;
    longjmp(out, 1);
}

int main(void)
{
    static CmcModel *model, *other;
    static CmcResult *result;
    static CmcSearch how = {.size = sizeof how, .workers = 1};
    OK(cmc_model_new(&token_core, &token_env, &model));
    OK(cmc_model_invariant(model, "escapes", escapes, NULL));
    if (setjmp(out) == 0) {
        cmc_search(model, &how, &result);
        CHECK(!"cmc_search() returned");
    }
    FAILS(cmc_search(model, &how, &result), CMC_ERR_ARGUMENT, "longjmp()");
    FAILS(cmc_model_terminal(model, "x", escapes, NULL), CMC_ERR_ARGUMENT, "has not returned");
    cmc_model_free(model);
    CHECK(strstr(cmc_last_error(), "was not freed") != NULL);
    CHECK(result == NULL);
    /* Other models are not concerned. */
    OK(cmc_model_new(&token_core, &token_env, &other));
    result = searched(other, &how);
    CHECK(verdict_of(result) == CMC_PASS);
    cmc_result_free(result);
    cmc_model_free(other);
    return done();
}
