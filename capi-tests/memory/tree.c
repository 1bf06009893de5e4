/* count: ideal=39 stale=39 histories=327
 * expect: verdict=pass states=39 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a left-leaning red-black tree (Sedgewick, 2008).  Its shape
 * depends on the order of insertion and is told in every answer: node with
 * colour, left, right, in that order, a point for none.  So shapes are true
 * structure, and fewer states are a failure.
 *
 * 39 = accept 1 + 38 trees of up to 5 keys, counted with 2-3 trees by the test.
 */
#include "../targets/listener.h"

#include <stdbool.h>
#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif

struct tree {
    struct tree *left, *right;
    char key;
    bool red;
};

static struct tree *root;

static bool is_red(const struct tree *at)
{
    return at != NULL && at->red;
}

static struct tree *rotate_left(struct tree *at)
{
    struct tree *up = at->right;
    at->right = up->left;
    up->left = at;
    up->red = at->red;
    at->red = true;
    return up;
}

static struct tree *rotate_right(struct tree *at)
{
    struct tree *up = at->left;
    at->left = up->right;
    up->right = at;
    up->red = at->red;
    at->red = true;
    return up;
}

static struct tree *insert(struct tree *at, char key)
{
    if (at == NULL) {
        struct tree *new = malloc(sizeof *new);
        if (new == NULL) {
            perror("malloc");
            exit(9);
        }
        *new = (struct tree){ .key = key, .red = true };
        return new;
    }
    if (key < at->key)
        at->left = insert(at->left, key);
    else if (key > at->key)
        at->right = insert(at->right, key);
    if (is_red(at->right) && !is_red(at->left))
        at = rotate_left(at);
    if (is_red(at->left) && is_red(at->left->left))
        at = rotate_right(at);
    if (is_red(at->left) && is_red(at->right)) {
        at->red = true;
        at->left->red = at->right->red = false;
    }
    return at;
}

static char *format(const struct tree *at, char *out)
{
    if (at == NULL) {
        *out = '.';
        return out + 1;
    }
    *out++ = at->key;
    *out++ = at->red ? 'r' : 'b';
    return format(at->right, format(at->left, out));
}

static int tell(int conn)
{
    char out[3 * KEYS + 1];
    const char *end = format(root, out);
    return write(conn, out, (size_t)(end - out)) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] < '1' || buf[0] > '0' + KEYS)
            break;
        root = insert(root, buf[0]);
        root->red = false;
        if (tell(conn) < 0)
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
