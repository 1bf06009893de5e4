/* reject: outside
 * object: outside */

#include <cmc_core.h>

uint32_t from_outside(const CmcNode *node);

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    *(uint8_t *)state = (uint8_t)(node->id + index);
    (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    *(uint8_t *)state = event->id;
    (void)node;
    (void)out;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "probe",
    .state_size = 1,
    .initial_count = from_outside,
    .init = init,
    .step = step,
};
