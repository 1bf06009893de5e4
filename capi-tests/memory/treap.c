/* count: ideal=33 stale=33 histories=327
 * expect: verdict=pass states=33 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a treap whose priorities follow from the keys, so that its
 * shape follows from the set however it was rotated into it.  The answer is
 * the shape: node, left, right, a point for none.
 *
 * 33 = accept 1 + 2^n sets, n = 5.
 */
#include "../targets/listener.h"

#include <stdint.h>
#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif

struct treap {
    struct treap *left, *right;
    char key;
};

static struct treap *root;

/* Multiplicative hashing (Knuth); the keys 1 to 5 get 5 priorities. */
static uint32_t priority(const struct treap *at)
{
    return (uint32_t)at->key * 2654435761u;
}

static struct treap *insert(struct treap *at, char key)
{
    if (at == NULL) {
        struct treap *new = malloc(sizeof *new);
        if (new == NULL) {
            perror("malloc");
            exit(9);
        }
        *new = (struct treap){ .key = key };
        return new;
    }
    if (key < at->key) {
        struct treap *left = at->left = insert(at->left, key);
        if (priority(left) > priority(at)) {
            at->left = left->right;
            left->right = at;
            return left;
        }
    } else if (key > at->key) {
        struct treap *right = at->right = insert(at->right, key);
        if (priority(right) > priority(at)) {
            at->right = right->left;
            right->left = at;
            return right;
        }
    }
    return at;
}

static char *format(const struct treap *at, char *out)
{
    if (at == NULL) {
        *out = '.';
        return out + 1;
    }
    *out++ = at->key;
    return format(at->right, format(at->left, out));
}

static void serve(int conn)
{
    char buf[16], out[2 * KEYS + 1];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] < '1' || buf[0] > '0' + KEYS)
            break;
        root = insert(root, buf[0]);
        if (write(conn, out, (size_t)(format(root, out) - out)) < 0)
            break;
        memset(buf, 0, sizeof buf);
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
