/* State and messages of Raft, for the core and its model. Every field is a byte, so that there is
 * no padding and one layout on every machine. */

#ifndef RAFT_H
#define RAFT_H

#include <stdint.h>

#include <cmc.h>

#include "log.h"

/* Which byte of the settings is which. */
enum { TERMS, FIGURE_8 };

/* What a server must not forget. */
typedef struct Persistent {
    uint8_t term;
    /* Who has this server's vote in this term, as candidate_number(); 0: nobody yet. */
    uint8_t voted_for;
    Log log;
} Persistent;

typedef enum Role {
    FOLLOWER = 0,
    CANDIDATE = 1,
    LEADER = 2,
} Role;

typedef struct Raft {
    /* Durable: as the disk has it. */
    Persistent disk;

    /* Volatile: with what is on its way to the disk, and a term that may not be. */
    Persistent now;
    /* A Role; how many entries are known to be committed; who votes for this candidate, as bits. */
    uint8_t role, commit, votes;
    /* The leader's, by server: the entry to send next, and the last that it has on its disk. */
    uint8_t next[CMC_MAX_NODES], match[CMC_MAX_NODES];
} Raft;

enum { DURABLE_SIZE = sizeof(Persistent) };

_Static_assert(sizeof(Raft) == 2 * (3 + 2 * LOG_SIZE) + 3 + 2 * CMC_MAX_NODES, "no padding");

typedef enum MessageKind {
    REQUEST_VOTE = 1,
    VOTE = 2,
    APPEND_ENTRIES = 3,
    APPENDED = 4,
} MessageKind;

typedef struct Message {
    /* A MessageKind, and the sender's term. */
    uint8_t kind, term;
    /* VOTE and APPENDED: whether the answer is yes. */
    uint8_t yes;
    /* REQUEST_VOTE: the last entry of the candidate, and its term. APPEND_ENTRIES: the entry in
     * front of those that are sent, and its term. APPENDED: the last entry up to which the follower
     * has the leader's; if it does not have the one in front, that one. */
    uint8_t index, index_term;
    /* APPEND_ENTRIES: how many entries the leader has committed, and those that it sends. */
    uint8_t commit;
    Log sent;
} Message;

/* A record: what to keep, and the answer that waits for it. */
typedef struct Record {
    Persistent state;
    /* Whom to answer yes, with a VOTE or with APPENDED and an index; the server itself: nobody. */
    uint8_t peer, kind, index;
} Record;

_Static_assert(sizeof(Message) <= CMC_MAX_BYTES && sizeof(Record) <= CMC_MAX_BYTES, "they fit");

/* The answer to a client: its command is committed as entry `index`, by the leader of this term. */
typedef struct Answer {
    uint8_t term, index, command;
} Answer;

static inline uint8_t candidate_number(uint8_t server)
{
    return (uint8_t)(server + 1);
}

/* No two requests ask for the same. */
static inline uint8_t command_of(uint8_t server, uint8_t request)
{
    return (uint8_t)(10 * (server + 1) + request);
}

static inline bool is_majority(const CmcNode *node, unsigned set)
{
    unsigned members = 0;

    for (; set != 0; set &= set - 1)
        members++;
    return 2 * members > node->nodes;
}

#endif
