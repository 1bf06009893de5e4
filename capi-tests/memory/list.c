/* count: ideal=82 stale=82 histories=327
 * expect: verdict=pass states=82 raw_fallbacks=0 disagreed=0
 * count list_ignored: ideal=33 stale=33 histories=327
 * expect list_ignored: verdict=pass states=33 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a sorted list, requests in a plain buffer.  The list is the
 * same whatever the order of insertion, and the buffer of serve keeps the last
 * key, so a state is a set with one of its keys.
 *
 * 82 = accept 1 + the empty set 1 + n 2^(n-1), n = 5: sets with their last key.
 * What is written is the sorted set, so that it adds no state where it stays on
 * the stack.  Without the buffer 33 = accept 1 + 2^n sets.
 */
#include "../targets/listener.h"
#include "sorted_list.h"

#include <string.h>

static struct node *head;

static int tell(int conn)
{
    char out[KEYS];
    size_t n = format(head, out);
    return write(conn, out, n) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    ssize_t n;
    while ((n = read(conn, buf, sizeof buf)) > 0) {
        if (buf[0] < '1' || buf[0] > '0' + KEYS)
            break;
        insert(&head, buf[0]);
        if (tell(conn) < 0)
            break;
#ifdef CLEARED
        memset(buf, 0, sizeof buf);
#endif
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
