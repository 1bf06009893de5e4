/* What the harness reads: the environment, settings, and which of them describe() refuses. It calls what
 * the harness does not have, and a file beside it. */

#include "room.h"

#include <cmc.h>

static bool holds(void *user, const CmcWorld *world)
{
    size_t nodes = 0;
    (void)user;
    return cmc_world_nodes(world, &nodes) == CMC_OK && nodes > 0;
}

static int describe(CmcModel *model)
{
    const uint8_t *settings = NULL;
    size_t len = 0;
    CmcStatus status = cmc_model_settings(model, &settings, &len);
    if (status == CMC_OK && (len != 2 || !has_room(settings[0])))
        status = CMC_ERR_MODEL;
    return status == CMC_OK ? cmc_model_invariant(model, "there are nodes", holds, NULL) : status;
}

static const CmcParameter parameters[] = {
    {"copies", 2, 1, 200, "messages for each request"},
    {"worlds", 3, 1, 9, "initial worlds"},
};

static const CmcEnv env = {
    .size = sizeof(CmcEnv), .nodes = 4, .network = CMC_NET_BAG, .drops = 1, .dups = 2, .clients = {2, 2}};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = 2,
    .describe = describe,
};
