/* count: ideal=5 stale=5 histories=35
 * expect: verdict=pass states=5 raw_fallbacks=0 disagreed=0
 * root: library
 *
 * All that this program knows is how far rand of the C library has come: r
 * draws a number and answers with a letter for it, n does nothing.
 *
 * 5 = accept 1 + 4 for up to three numbers drawn.
 */
#include "one_byte.h"

static __attribute__((noinline)) char obey(char request)
{
    return request == 'r' ? (char)('a' + rand() % 26) : '-';
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    int request;
    /* In one place, or where it waits would tell the last request. */
    while ((request = next_request(conn)) != '\0')
        answer(conn, obey((char)request));
    return 0;
}
