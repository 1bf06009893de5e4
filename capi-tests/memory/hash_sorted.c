/* count: ideal=33 stale=33 histories=327
 * expect: verdict=pass states=33 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a hash table of two chains, each sorted.  The answer is the
 * table, chain by chain, and the receive buffer is cleared.
 *
 * 33 = accept 1 + 2^n sets, n = 5.
 */
#include "../targets/listener.h"

#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif
#define CHAINS 2

struct node {
    struct node *next;
    char key;
};

static struct node *table[CHAINS];

static void insert(char key)
{
    struct node **link = &table[(key - '1') % CHAINS];
    for (const struct node *at = *link; at != NULL; at = at->next)
        if (at->key == key)
            return;
#ifndef BY_INSERTION
    while (*link != NULL && (*link)->key < key)
        link = &(*link)->next;
#endif
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    new->key = key;
    new->next = *link;
    *link = new;
}

static int tell(int conn)
{
    char out[KEYS + CHAINS];
    size_t n = 0;
    for (int chain = 0; chain < CHAINS; chain++) {
        for (const struct node *at = table[chain]; at != NULL; at = at->next)
            out[n++] = at->key;
        out[n++] = '/';
    }
    return write(conn, out, n) < 0 ? -1 : 0;
}

#include "key_server.h"
