/* State and messages of primary-backup replication, for the core and its model. Every field is a
 * byte, so that there is no padding and one layout on every machine. */

#ifndef PRIMARY_BACKUP_H
#define PRIMARY_BACKUP_H

#include <stdint.h>

#include <cmc.h>

enum { PRIMARY = 0 };

/* Requests are numbered from 1 in the order in which they come, and a log is how many of them it
 * has. A message and a record are one such number: the log that the primary has, the log that a
 * backup has on its disk, the log that a record brings the disk to. */
typedef struct PrimaryBackup {
    /* Durable: the log on the disk. */
    uint8_t disk;

    /* Volatile: the log with what is not on the disk yet. */
    uint8_t log;
    /* A backup's: a record is on its way to the disk. */
    uint8_t writing;
    /* The primary's: it crashed, and serves no more. */
    uint8_t retired;
    /* The threads that sleep, as bits; request i has thread i - 1. */
    uint8_t asleep;
    /* What each backup has on its disk. */
    uint8_t acknowledged[CMC_MAX_NODES];
} PrimaryBackup;

enum { DURABLE_SIZE = 1 };

_Static_assert(sizeof(PrimaryBackup) == 5 + CMC_MAX_NODES, "no padding");

/* What all backups are known to have. */
static inline uint8_t acknowledged_by_all(const PrimaryBackup *primary, size_t nodes)
{
    uint8_t least = UINT8_MAX;

    for (size_t backup = PRIMARY + 1; backup < nodes; backup++)
        if (primary->acknowledged[backup] < least)
            least = primary->acknowledged[backup];
    return least;
}

static inline bool is_asleep(const PrimaryBackup *primary, uint8_t request)
{
    return primary->asleep >> (request - 1) & 1;
}

#endif
