/* The parameter of the core. */

#include "../busy.h"
#include "cmc.h"

static const CmcParameter parameters[] = {
    [SPINS] = {"SPINS", 56, 0, 255, "how long a step takes, about 18 ns each"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
};
