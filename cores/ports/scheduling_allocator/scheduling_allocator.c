/* A resource allocator that serves clients in the order of a schedule, by S. Merz. Counts: module
 * SchedulingAllocator, github tlaplus/Examples.
 *
 * Default (3 clients, 2 resources), with a deadlock check: TypeInvariant, ResourceMutex and
 * Scheduled hold; 1690 distinct and 5854 generated states, depth 7. */

#include "../../calibration/actions.h"
#include "scheduling_allocator.h"

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

/* Clients that want resources and are not scheduled, in ascending order; how many there are. */
static unsigned to_schedule(const uint8_t *k, const State *s, uint8_t *clients)
{
    unsigned count = 0;
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        if (s->unsat[c] != 0 && !is_scheduled(s, c))
            clients[count++] = (uint8_t)c;
    return count;
}

/* c is scheduled, and nobody before it wants any of `set`. */
static bool is_first_for(const State *s, unsigned c, unsigned set)
{
    for (unsigned i = 0; i < s->sched_len; i++) {
        if (s->sched[i] == c)
            return true;
        if (s->unsat[s->sched[i]] & set)
            return false;
    }
    return false;
}

static void list_set(Actions *to, const State *s, unsigned c, unsigned set, unsigned taken)
{
    if (s->unsat[c] == 0 && s->alloc[c] == 0)
        act1(to, REQUEST, c, set);
    if ((set & ~(unsigned)s->unsat[c]) == 0 && (set & taken) == 0 && is_first_for(s, c, set))
        act1(to, ALLOCATE, c, set);
    if ((set & ~(unsigned)s->alloc[c]) == 0)
        act1(to, RETURN, c, set);
}

/* One way to schedule for each permutation of the clients to schedule. */
static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    uint8_t clients[MAX_CLIENTS];
    unsigned taken = taken_by_all(k, s), count = to_schedule(k, s, clients), permutations = 1;
    for (unsigned c = 0; c < k[CLIENTS]; c++)
        for (unsigned set = 1; set < 1u << k[RESOURCES]; set++)
            list_set(&to, s, c, set, taken);
    for (unsigned i = 2; i <= count; i++)
        permutations *= i;
    for (unsigned i = 0; count > 0 && i < permutations; i++)
        act1(&to, SCHEDULE, 0, i);
    return to.count;
}

/* Take client c out of the schedule. */
static void drop(State *s, unsigned c)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < s->sched_len; i++)
        if (s->sched[i] != c)
            s->sched[kept++] = s->sched[i];
    while (s->sched_len > kept)
        s->sched[--s->sched_len] = 0;
}

static void grant(State *s, unsigned c, unsigned set)
{
    s->alloc[c] |= (uint8_t)set;
    s->unsat[c] &= (uint8_t)~set;
    if (s->unsat[c] == 0)
        drop(s, c);
}

/* Append the permutation with this number: digit by digit, who is next of those left. */
static void schedule(const uint8_t *k, State *s, unsigned permutation)
{
    uint8_t clients[MAX_CLIENTS];
    for (unsigned left = to_schedule(k, s, clients); left > 0; left--) {
        unsigned next = permutation % left;
        permutation /= left;
        s->sched[s->sched_len++] = clients[next];
        memmove(clients + next, clients + next + 1, left - next - 1);
    }
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    uint8_t c = event->peer, witness = event->data[0];
    State *s = state;
    (void)out;
    switch (event->id) {
    case REQUEST:
        s->unsat[c] = witness;
        break;
    case ALLOCATE:
        grant(s, c, witness);
        break;
    case RETURN:
        s->alloc[c] &= (uint8_t)~witness;
        break;
    default:
        schedule(node->settings, s, witness);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "SchedulingAllocator",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
