/* reject: writable-data
 * object: writable-data */

#include <cmc_core.h>

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

CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "probe",
    .state_size = 1,
    .init = init,
    .step = step,
};
