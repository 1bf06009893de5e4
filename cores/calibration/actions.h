/* The list that direct_actions() writes, in the order of the specification's next-state relation
 * and with one action for each witness. It counts every action and keeps those that fit, so that
 * the engine sees when there are more. Calls nothing but memset(). */

#ifndef ACTIONS_H
#define ACTIONS_H

#include "../../include/cmc.h"

typedef struct Actions {
    CmcEvent *list;
    size_t cap, count;
} Actions;

/* List action `id` of `process` with three witnesses; the functions below are for fewer. */
static inline void act3(Actions *to, unsigned id, unsigned process, unsigned first, unsigned second,
                        unsigned third)
{
    if (to->count < to->cap) {
        CmcEvent *event = &to->list[to->count];
        memset(event, 0, sizeof *event);
        event->id = (uint8_t)id;
        event->peer = (uint8_t)process;
        event->len = 3;
        event->data[0] = (uint8_t)first;
        event->data[1] = (uint8_t)second;
        event->data[2] = (uint8_t)third;
    }
    to->count++;
}

static inline void act2(Actions *to, unsigned id, unsigned process, unsigned first, unsigned second)
{
    act3(to, id, process, first, second, 0);
}

static inline void act1(Actions *to, unsigned id, unsigned process, unsigned witness)
{
    act3(to, id, process, witness, 0, 0);
}

static inline void act(Actions *to, unsigned id, unsigned process)
{
    act3(to, id, process, 0, 0, 0);
}

/* The state has no room for what this step leads to. An effect, which in calibration mode breaks
 * the rule `effect`, says so; nothing is cut off to fit. */
static inline void outgrown(CmcOut *out)
{
    cmc_send(out, 0, NULL, 0);
}

#endif
