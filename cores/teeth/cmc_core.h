/* For direct_out_masked.c: of the name that may write to an effect, and not of the place. */

#include <cmc_core.h>

static inline void cmc_forget(CmcOut *out)
{
    out->n = 0;
}
