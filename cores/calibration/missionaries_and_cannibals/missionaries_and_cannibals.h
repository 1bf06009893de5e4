/* The constants and the state of MissionariesAndCannibals. */

#ifndef MISSIONARIES_AND_CANNIBALS_H
#define MISSIONARIES_AND_CANNIBALS_H

#include <stdbool.h>
#include <stdint.h>

#include "../bits.h"

/* Settings: how many there are of each. */
enum { MISSIONARIES, CANNIBALS };
enum { EAST, WEST };

typedef struct State {
    /* Who is on the east bank, as bits, missionaries first; the rest is on the west bank. */
    uint16_t east;
    uint8_t bank_of_boat;
} State;

static inline unsigned people(const uint8_t *k)
{
    return (unsigned)k[MISSIONARIES] + k[CANNIBALS];
}

static inline unsigned who_is_on_bank(const uint8_t *k, const State *s, unsigned bank)
{
    return bank == EAST ? s->east : ((1u << people(k)) - 1) & ~(unsigned)s->east;
}

#endif
