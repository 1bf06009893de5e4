/* The parameter of the core, and its environment. */

#include "../busy.h"
#include "cmc.h"

static const CmcParameter parameters[] = {
    [SPINS] = {"SPINS", 56, 0, 255, "how long a step takes, about 18 ns each"},
};

static const CmcEnv env = {
    .size = sizeof(CmcEnv),
    .nodes = 2,
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .env = &env,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
};
