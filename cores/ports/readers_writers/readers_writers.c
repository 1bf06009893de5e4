/* Readers and writers in order of arrival (the problem: P. J. Courtois, F. Heymans and D. L.
 * Parnas, Communications of the ACM 14(10), 1971). Counts: module ReadersWriters by I. DeFrain,
 * github tlaplus/Examples.
 *
 * Default (NumActors=3), with a deadlock check: TypeOK and Safety hold; 21527 distinct and 59674
 * generated states, depth 13. */

#include "../../calibration/actions.h"
#include "readers_writers.h"

enum { TRY_READ, TRY_WRITE, READ, WRITE, STOP_ACTIVITY };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

/* The first in the queue goes on when nobody writes, and for a write when nobody reads either. */
static void list_first(Actions *to, const State *s)
{
    if (s->waiting_len == 0 || s->writers != 0)
        return;
    if (s->waiting[0] % 2 == 0)
        act(to, READ, s->waiting[0] / 2u);
    else if (s->readers == 0)
        act(to, WRITE, s->waiting[0] / 2u);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const State *s = state;
    Actions to = {actions, cap, 0};
    unsigned actors = node->settings[NUM_ACTORS];
    for (unsigned a = 0; a < actors; a++)
        if (!is_waiting(s, 2 * a))
            act(&to, TRY_READ, a);
    for (unsigned a = 0; a < actors; a++)
        if (!is_waiting(s, 2 * a + 1))
            act(&to, TRY_WRITE, a);
    list_first(&to, s);
    for (unsigned a = 0; a < actors; a++)
        if ((s->readers | s->writers) >> a & 1)
            act(&to, STOP_ACTIVITY, a);
    return to.count;
}

static void drop_first(State *s)
{
    s->waiting_len--;
    memmove(s->waiting, s->waiting + 1, s->waiting_len);
    s->waiting[s->waiting_len] = 0;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    unsigned a = event->peer, actor = 1u << a;
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case TRY_READ:
    case TRY_WRITE:
        s->waiting[s->waiting_len++] = (uint8_t)(2 * a + (event->id == TRY_WRITE));
        break;
    case READ:
        s->readers |= (uint8_t)actor;
        drop_first(s);
        break;
    case WRITE:
        s->writers |= (uint8_t)actor;
        drop_first(s);
        break;
    default:
        if (s->readers & actor)
            s->readers ^= (uint8_t)actor;
        else
            s->writers ^= (uint8_t)actor;
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "ReadersWriters",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
