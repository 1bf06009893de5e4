/* count: ideal=33 stale=33 histories=327
 * expect: verdict=error word="holds an address that cannot be followed" raw_fallbacks>=1 disagreed=1
 *
 * A set of keys as a sorted list whose nodes hold the exclusive or of their
 * two neighbours' addresses.  In a list of three or more the middle ones hide
 * the addresses, so that such a state keeps its raw form, which merges with no
 * other.  The receive buffer is cleared.
 *
 * By behaviour there are 33 states.  Those of up to two keys hold plain addresses
 * and are merged; their memories lead to states with three that differ, so
 * that they should not have been.  The audit must say so, with the reason.
 */
#include "../targets/listener.h"

#include <stdint.h>
#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif

struct node {
    uintptr_t link;
    char key;
};

static struct node *head;

static struct node *beyond(const struct node *at, const struct node *from)
{
    return (struct node *)(at->link ^ (uintptr_t)from);
}

static void insert(char key)
{
    struct node *before = NULL, *at = head;
    while (at != NULL && at->key < key) {
        struct node *next = beyond(at, before);
        before = at;
        at = next;
    }
    if (at != NULL && at->key == key)
        return;
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    new->key = key;
    new->link = (uintptr_t)before ^ (uintptr_t)at;
    if (before == NULL)
        head = new;
    else
        before->link ^= (uintptr_t)at ^ (uintptr_t)new;
    if (at != NULL)
        at->link ^= (uintptr_t)before ^ (uintptr_t)new;
}

static int tell(int conn)
{
    char out[KEYS];
    size_t n = 0;
    const struct node *before = NULL, *at = head;
    while (at != NULL) {
        out[n++] = at->key;
        const struct node *next = beyond(at, before);
        before = at;
        at = next;
    }
    return write(conn, out, n) < 0 ? -1 : 0;
}

#include "key_server.h"
