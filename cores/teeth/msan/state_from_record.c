/* reject: uninitialised-state */

#define PLANT_OWN_PERSIST
#include "plant.h"

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    uint32_t whole[2];
    memcpy(whole, record, sizeof whole); // the record has four bytes
    memcpy(durable, &whole[1], sizeof whole[1]);
    (void)node;
    (void)len;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    work(node, s, event, out);
}
