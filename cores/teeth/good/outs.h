/* For outs.c: a header beside a core is part of it. */

#ifndef OUTS_H
#define OUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmc_core.h"

#define QUORUM(n) ((n) / 2 + 1)

typedef struct Vote {
    uint32_t term;
    uint8_t from, to;
    uint16_t zero;
} Vote;

static inline void vote(const CmcNode *node, CmcOut *out, Vote vote)
{
    for (uint8_t i = 0; i < node->nodes; i++)
        if (i != node->id && vote.term < QUORUM(node->nodes))
            cmc_send(out, i, &vote, sizeof vote);
}

static inline Vote vote_of(const CmcEvent *event)
{
    Vote vote = {0};
    if (event->len == sizeof vote)
        memcpy(&vote, event->data, sizeof vote);
    return vote;
}

#endif
