/* A set of one-character keys as a sorted list from malloc. */
#ifndef MEMORY_SORTED_LIST_H
#define MEMORY_SORTED_LIST_H

#include <stdio.h>
#include <stdlib.h>

#ifndef KEYS
#define KEYS 5
#endif

struct node {
    struct node *next;
    char key;
};

static inline void insert(struct node **link, char key)
{
    while (*link != NULL && (*link)->key < key)
        link = &(*link)->next;
    if (*link != NULL && (*link)->key == key)
        return;
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    new->key = key;
    new->next = *link;
    *link = new;
}

/* Write the keys in order; how many there are. */
static inline size_t format(const struct node *list, char *out)
{
    size_t n = 0;
    for (; list != NULL; list = list->next)
        out[n++] = list->key;
    return n;
}

#endif
