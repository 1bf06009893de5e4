/* count: ideal=33 stale=33 histories=327
 * expect: verdict=error word="depends on addresses"
 *
 * A set of records in an index that is hashed by their addresses, as a set of
 * objects is in many a runtime.  The answer goes through the index, so its
 * order depends on where malloc put the records.  It must be told so, and not
 * pass: by its rules there are 33 states, and none of them has one answer.
 */
#include "../targets/listener.h"

#include <stdint.h>
#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif
#define CHAINS 7

struct record {
    struct record *next;
    char key;
};

static struct record *index_by_address[CHAINS];

static int is_there(char key)
{
    for (int chain = 0; chain < CHAINS; chain++)
        for (const struct record *at = index_by_address[chain]; at != NULL; at = at->next)
            if (at->key == key)
                return 1;
    return 0;
}

static void insert(char key)
{
    if (is_there(key))
        return;
    struct record *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    struct record **chain = &index_by_address[(uintptr_t)new / 16 % CHAINS];
    new->key = key;
    new->next = *chain;
    *chain = new;
}

static int tell(int conn)
{
    char out[KEYS];
    size_t n = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        for (const struct record *at = index_by_address[chain]; at != NULL; at = at->next)
            out[n++] = at->key;
    return write(conn, out, n) < 0 ? -1 : 0;
}

#include "key_server.h"
