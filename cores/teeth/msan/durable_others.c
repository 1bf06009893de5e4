/* reject: durable */

#define PLANT_OWN_PERSIST
#include "plant.h"

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    memcpy(durable, record, len);
    ((State *)durable)->mark = node->id;
    ((State *)durable)->turns++;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
}
