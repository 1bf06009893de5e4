/* A core file of the token: for the tests of models, as a shared object. With FAILS its describe()
 * fails; with MISSING it needs what nobody has. */
#include "token.h"

#include <stdio.h>

extern const CmcCore cmc_core;
extern const CmcSetup cmc_setup;

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "token",
    .state_size = sizeof(Token),
    .init = token_init,
    .step = token_step,
};

static const CmcParameter parameters[] = {
    {.name = "rounds", .value = 2, .min = 1, .max = 9, .what = "how often a node has the token"}};

#ifdef MISSING
void token_is_nowhere(void);
#endif

#ifdef FAILS
static int describe(CmcModel *model)
{
    return cmc_model_invariant(model, "at most two", NULL, NULL);
}
#else
static const Token two = {2};

static size_t show(const CmcNode *node, const void *state, char *text, size_t cap)
{
    (void)node;
    return (size_t)snprintf(text, cap, "had=%d", ((const Token *)state)->had);
}

static int describe(CmcModel *model)
{
#ifdef MISSING
    token_is_nowhere();
#endif
    CmcFormat format = {.size = sizeof format, .state = show};
    CmcStatus status = cmc_model_format(model, &format);
    if (status != CMC_OK)
        return status;
    return cmc_model_invariant(model, "at most two", token_had_at_most, (void *)&two);
}
#endif

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &token_env,
    .parameters = parameters,
    .parameter_count = 1,
    .describe = describe,
};
