/* count: ideal=21 stale=21 histories=272
 * expect: verdict=pass states=21 raw_fallbacks=0 disagreed=0
 * count counter_ignored: ideal=9 stale=9 histories=272
 * expect counter_ignored: verdict=pass states=9 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a sorted list, and a count of requests that no answer
 * tells.  Each of three keys is sent twice.  The receive buffer is cleared.
 *
 * A set of k keys comes with a count from k to 2 k: 21 = accept 1 + 1 + 3 * 2 +
 * 3 * 3 + 4.  Without the count 9 = accept 1 + 2^3 sets.
 */
#include "../targets/listener.h"
#include "sorted_list.h"

#include <string.h>

static struct node *head;
static unsigned long requests;

static int tell(int conn)
{
    char out[KEYS];
    size_t n = format(head, out);
    return write(conn, out, n) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] < '1' || buf[0] > '0' + KEYS)
            break;
        requests++;
        insert(&head, buf[0]);
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
