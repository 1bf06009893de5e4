/* count: ideal=16 stale=46 histories=1012
 * expect: verdict=pass states>=16 states<=46 raw_fallbacks=0 disagreed=0
 *
 * Use after free.  A digit pushes a key on a stack, - pops and frees one, m
 * marks the top, and ? tells the key that is marked and whether it is the top.
 * The mark is not taken back when its node is freed, so ? may read freed memory,
 * or a later node in the same place.
 *
 * 16 = accept 1 + 15 pairs of a stack and a mark.  The mark is none, or on a node of
 * the stack, or on a freed block, which is told by its place in the order of
 * reuse: that decides which later node it will be on.  The heap fills a freed
 * block, so the answer from one is the same each time.
 *
 * 46 with what may stay on the stack: in a byte over the call of malloc the last
 * request that was a key or a question, in the old place of out the last answers
 * that told a key, and what was in the buffer of serve before the first request.
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
