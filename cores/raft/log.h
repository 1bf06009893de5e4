/* The log of a Raft server, and any run of entries. Entries are counted from 1, as the paper does;
 * those behind the last are zero, so that equal logs are equal bytes. */

#ifndef RAFT_LOG_H
#define RAFT_LOG_H

#include <stdint.h>
#include <string.h>

enum { LOG_SIZE = 4 };

/* The term of the leader that made the entry, and a client's command. */
typedef struct Entry {
    uint8_t term, command;
} Entry;

typedef struct Log {
    uint8_t length;
    Entry entry[LOG_SIZE];
} Log;

/* The term of entry `index`; 0 in front of the first. */
static inline uint8_t log_term(const Log *log, uint8_t index)
{
    return index == 0 ? 0 : log->entry[index - 1].term;
}

static inline void log_append(Log *log, Entry entry)
{
    log->entry[log->length++] = entry;
}

/* Remove entry `index` and all behind it. */
static inline void log_cut(Log *log, uint8_t index)
{
    size_t kept = index - 1U;

    memset(&log->entry[kept], 0, sizeof log->entry - kept * sizeof *log->entry);
    log->length = (uint8_t)kept;
}

#endif
