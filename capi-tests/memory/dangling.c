/* count: ideal=6 stale=6 histories=1012
 * expect: verdict=measured states>=6 states<=1012 disagreed=0
 *
 * Use after free.  A digit pushes a key on a stack, - pops and frees one, m
 * marks the top, and ? tells the key that is marked and whether it is the top.
 * The mark is not taken back when its node is freed, so ? may read freed memory,
 * or a later node in the same place.
 *
 * No state may be merged wrongly: there are at least accept 1 + 5 stacks of up
 * to two keys.  What a freed block means beyond that, and whether another
 * placement answers the same, is for the allocator to say: it is measured.
 */
#include "../targets/listener.h"

#include <string.h>

struct node {
    struct node *next;
    long fill;
    char key;
};

static struct node *top, *marked;

static void push(char key)
{
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("malloc");
        exit(9);
    }
    *new = (struct node){ .next = top, .key = key };
    top = new;
}

static void pop(void)
{
    struct node *old = top;
    if (old == NULL)
        return;
    top = old->next;
    free(old);
}

static int tell(int conn)
{
    char out[16];
    if (marked == NULL)
        return write(conn, "none", 4) < 0 ? -1 : 0;
    int n = snprintf(out, sizeof out, "%02x %s", (unsigned char)marked->key,
                     marked == top ? "top" : "other");
    return write(conn, out, (size_t)n) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] == '-')
            pop();
        else if (buf[0] == 'm')
            marked = top;
        else if (buf[0] != '?')
            push(buf[0]);
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
