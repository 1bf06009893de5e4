/* A resource allocator, as S. Merz specified it (github tlaplus/Examples,
 * specifications/allocator).
 *
 * Default (3 clients, 2 resources), with a deadlock check: TypeInvariant and ResourceMutex hold;
 * 400 distinct and 1633 generated states, depth 6. */

#include "../actions.h"
#include "simple_allocator.h"

enum { REQUEST, ALLOCATE, RETURN };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static unsigned taken_by_all(const uint8_t *k, const State *s)
{
    unsigned resources = 0;
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        resources |= s->alloc[c];
    return resources;
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned taken = taken_by_all(k, s);
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        for (unsigned set = 1; set < 1u << k[RESOURCES]; set++) {
            if (s->unsat[c] == 0 && s->alloc[c] == 0)
                act1(&to, REQUEST, c, set);
            if ((set & ~(unsigned)s->unsat[c]) == 0 && (set & taken) == 0)
                act1(&to, ALLOCATE, c, set);
            if ((set & ~(unsigned)s->alloc[c]) == 0)
                act1(&to, RETURN, c, set);
        }
    return to.count;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    uint8_t c = event->peer, set = event->data[0];
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case REQUEST:
        s->unsat[c] = set;
        break;
    case ALLOCATE:
        s->alloc[c] |= set;
        s->unsat[c] &= (uint8_t)~set;
        break;
    default:
        s->alloc[c] &= (uint8_t)~set;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "SimpleAllocator",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
