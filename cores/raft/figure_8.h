/* How Figure 8 of the Raft paper begins, with three servers: (b), where servers 0 and 2 have led in
 * terms 1 and 2, and each has an entry that nobody else has. */

#ifndef RAFT_FIGURE_8_H
#define RAFT_FIGURE_8_H

#include "raft.h"

static inline Persistent figure_8(uint8_t server)
{
    Persistent state = { .term = 2 };

    if (server != 0)
        state.voted_for = candidate_number(2);
    if (server == 0)
        log_append(&state.log, (Entry){ .term = 1, .command = command_of(server, 9) });
    if (server == 2)
        log_append(&state.log, (Entry){ .term = 2, .command = command_of(server, 9) });
    return state;
}

#endif
