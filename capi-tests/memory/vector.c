/* count: ideal=33 stale=82 histories=327
 * expect: verdict=pass states=33 O0>=33 O0<=82 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as an array that grows by realloc and is sorted by qsort; each
 * addition is logged with printf.  The receive buffer is cleared.
 *
 * 33 = accept 1 + 2^n sets, n = 5; how often the array has grown follows from
 * the size of the set.  At -O0 the variable key of serve is in memory and out
 * of scope while it waits; where it is left there the sets are told apart by
 * their last key, 82 = accept 1 + the empty set 1 + n 2^(n-1).
 */
#include "../targets/listener.h"

#include <string.h>

#ifndef KEYS
#define KEYS 5
#endif

static int *items;
static size_t count, room;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void add(int key)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] == key)
            return;
    if (count == room) {
        room = room == 0 ? 2 : 2 * room;
        items = realloc(items, room * sizeof *items);
        if (items == NULL) {
            perror("realloc");
            exit(9);
        }
    }
    items[count++] = key;
    qsort(items, count, sizeof *items, compare);
    printf("%zu of %zu\n", count, room);
    fflush(stdout);
}

static int tell(int conn)
{
    char out[3 * KEYS + 1];
    int n = 0;
    for (size_t i = 0; i < count; i++)
        n += snprintf(out + n, sizeof out - (size_t)n, "%d ", items[i]);
    return write(conn, out, (size_t)n) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        int key = buf[0] - '0';
        if (key < 1 || key > KEYS)
            break;
        add(key);
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
