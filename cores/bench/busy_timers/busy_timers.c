/* A core among timers and messages: two nodes, of which one goes from world to world whenever one of
 * its 15 timers runs out, and sends itself the message that it has taken; the other has nothing to
 * do. 16 steps out of each of 16384 worlds: 262145 generated states. */

#include <stdbool.h>

#include "../busy.h"
#include "cmc_core.h"

enum { WORLDS = 16384, TIMERS = 15 };

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    static const uint8_t hello[4] = "busy";

    (void)index, (void)state;
    if (node->id > 0)
        return;
    for (uint8_t timer = 0; timer < TIMERS; timer++)
        cmc_arm(out, timer);
    cmc_send(out, 0, hello, sizeof hello);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    const bool timer = event->kind == CMC_EV_TIMER;

    spin(state, WORLDS, node->settings[SPINS], timer ? event->id : TIMERS, TIMERS + 1);
    if (timer)
        cmc_arm(out, event->id);
    else
        cmc_send(out, event->peer, event->data, event->len);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "busy_timers",
    .state_size = sizeof(Busy),
    .init = init,
    .step = step,
};
