/* The constants and the state of CoffeeCan. */

#ifndef COFFEE_CAN_H
#define COFFEE_CAN_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: the most beans at first is the product of these. */
enum { BEANS, SCALE };

typedef struct State {
    uint16_t black;
    uint16_t white;
} State;

static inline unsigned max_bean_count(const uint8_t *k)
{
    return (unsigned)k[BEANS] * k[SCALE];
}

#endif
