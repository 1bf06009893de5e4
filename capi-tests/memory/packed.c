/* count: ideal=33 stale=82 histories=327
 * expect: verdict=pass states>=33 states<=82 O0=33 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a sorted list of packed nodes, whose pointers are one byte
 * off every boundary.  The receive buffer is cleared.
 *
 * 33 = accept 1 + 2^n sets, n = 5.  At -O2 gcc saves the key in one byte of the frame
 * over the call of malloc.  A frame is followed by four bytes at a time, of
 * which a byte that is written is no end, so that the last key may be read
 * again for all that is known: 82 = accept 1 + the empty set 1 + n 2^(n-1).
 */
#include "../targets/listener.h"

#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif

struct __attribute__((packed)) node {
    char key;
    struct node *next;
};

static struct node *head;

static void insert(char key)
{
    struct node *before = NULL, *at = head;
    while (at != NULL && at->key < key) {
        before = at;
        at = at->next;
    }
    if (at != NULL && at->key == key)
        return;
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    new->key = key;
    new->next = at;
    if (before == NULL)
        head = new;
    else
        before->next = new;
}

static int tell(int conn)
{
    char out[KEYS];
    size_t n = 0;
    for (const struct node *at = head; at != NULL; at = at->next)
        out[n++] = at->key;
    return write(conn, out, n) < 0 ? -1 : 0;
}

#include "key_server.h"
