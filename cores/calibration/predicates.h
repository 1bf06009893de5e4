/* Invariants and constraints as functions of the constants (the settings) and of the one state that
 * a core in calibration mode has. */

#ifndef PREDICATES_H
#define PREDICATES_H

#include "cmc.h"

typedef struct Predicate {
    const char *name;
    bool (*holds)(const uint8_t *constants, const void *state);
} Predicate;

static inline bool predicate_holds(void *user, const CmcWorld *world)
{
    const Predicate *predicate = user;
    const uint8_t *constants;
    const void *state;
    size_t len;
    if (cmc_world_settings(world, &constants, &len) != CMC_OK ||
        cmc_world_state(world, 0, &state, &len) != CMC_OK)
        return false;
    return predicate->holds(constants, state);
}

/* Add invariants, which are checked in this order. */
static inline CmcStatus add_invariants(CmcModel *model, const Predicate *invariants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CmcStatus status =
            cmc_model_invariant(model, invariants[i].name, predicate_holds, (void *)&invariants[i]);
        if (status != CMC_OK)
            return status;
    }
    return CMC_OK;
}

/* Add what most models say of a core. */
static inline CmcStatus add_description(CmcModel *model, const Predicate *invariants, size_t count,
                                        const CmcFormat *format)
{
    CmcStatus status = add_invariants(model, invariants, count);
    return status == CMC_OK ? cmc_model_format(model, format) : status;
}

static inline CmcStatus add_constraint(CmcModel *model, const Predicate *constraint)
{
    return cmc_model_constraint(model, constraint->name, predicate_holds, (void *)constraint);
}

#endif
