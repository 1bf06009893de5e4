/* A driver: it checks the alternating bit protocol with a property of its own, where messages
 * overtake each other, and prints the run that shows that one bit is too little for that. `make`
 * builds it with the library of this tree; elsewhere it is
 *
 * cc -o driver driver.c alternating_bit.c $(pkg-config --cflags --libs libcmc)
 */

#include <cmc.h>
#include <stdio.h>

extern const CmcCore cmc_core; /* cores/alternating_bit/alternating_bit.c */

static bool in_order(void *user, const CmcWorld *world)
{
    size_t count = 0;
    CmcReply reply;

    (void)user;
    if (cmc_world_replies(world, &count) != CMC_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        if (cmc_world_reply(world, i, &reply) != CMC_OK || reply.bytes[0] != i)
            return false;
    return true;
}

int main(void)
{
    const CmcEnv env = {
        .size = sizeof env, .nodes = 2, .network = CMC_NET_BAG, .clients = { 2 },
    };
    CmcModel *model = NULL;
    CmcResult *result = NULL;
    CmcVerdict verdict = CMC_ERROR;
    const char *text = "";

    if (cmc_model_new(&cmc_core, &env, &model) != CMC_OK ||
        cmc_model_invariant(model, "messages are delivered in order", in_order, NULL) != CMC_OK ||
        cmc_search(model, NULL, &result) != CMC_OK ||
        cmc_result_verdict(result, &verdict) != CMC_OK ||
        cmc_result_text(result, &text) != CMC_OK)
        fprintf(stderr, "driver: %s\n", cmc_last_error());
    fputs(text, stdout);
    cmc_result_free(result);
    cmc_model_free(model);
    return verdict == CMC_PASS ? 0 : verdict == CMC_VIOLATED ? 1 : 2;
}
