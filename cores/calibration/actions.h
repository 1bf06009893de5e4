/* The list that direct_actions() writes, in the order of the specification's next-state relation
 * and with one action for each witness. It counts every action and keeps those that fit, so that
 * the engine sees when there are more. Calls nothing. */

#ifndef ACTIONS_H
#define ACTIONS_H

#include "cmc_core.h"

typedef struct Actions {
    CmcEvent *list;
    size_t cap, count;
} Actions;

/* List action `id` of `process` with the first `len` of these witnesses, at most three. */
static inline void act_with(Actions *to, unsigned id, unsigned process, unsigned len,
                            unsigned first, unsigned second, unsigned third)
{
    if (to->count < to->cap) {
        CmcEvent *event = &to->list[to->count];
        const unsigned witnesses[] = {first, second, third};
        event->id = (uint8_t)id;
        event->peer = (uint8_t)process;
        event->len = (uint8_t)len;
        for (unsigned i = 0; i < len; i++)
            event->data[i] = (uint8_t)witnesses[i];
    }
    to->count++;
}

static inline void act(Actions *to, unsigned id, unsigned process)
{
    act_with(to, id, process, 0, 0, 0, 0);
}

static inline void act1(Actions *to, unsigned id, unsigned process, unsigned witness)
{
    act_with(to, id, process, 1, witness, 0, 0);
}

static inline void act2(Actions *to, unsigned id, unsigned process, unsigned first, unsigned second)
{
    act_with(to, id, process, 2, first, second, 0);
}

static inline void act3(Actions *to, unsigned id, unsigned process, unsigned first, unsigned second,
                        unsigned third)
{
    act_with(to, id, process, 3, first, second, third);
}

/* The state has no room for what this step leads to. An effect, which in calibration mode breaks
 * the rule `effect`, says so; nothing is cut off to fit. */
static inline void outgrown(CmcOut *out)
{
    cmc_send(out, 0, NULL, 0);
}

#endif
