/* The list that direct_actions() writes. It counts every action and keeps those that fit, so that the
 * engine sees when there are more. An action is a number and up to two arguments. Calls nothing. */

#ifndef ACTIONS_H
#define ACTIONS_H

#include <cmc.h>

typedef struct Actions {
    CmcEvent *list;
    size_t cap, count;
} Actions;

static inline void act(Actions *to, unsigned id, unsigned first, unsigned second)
{
    if (to->count < to->cap) {
        CmcEvent *event = &to->list[to->count];
        event->id = (uint8_t)id;
        event->peer = (uint8_t)first;
        event->len = 1;
        event->data[0] = (uint8_t)second;
    }
    to->count++;
}

/* The smallest member of a set that is not empty. */
static inline unsigned first_of(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

/* The largest. */
static inline unsigned last_of(unsigned set)
{
    return 31u - (unsigned)__builtin_clz(set);
}

#endif
