/* build: gcc -O0 -g
 * build: gcc -O1 -g
 * build: clang -O0 -g
 * send: 1 1 ?
 * reply: 2
 *
 * The address behind a number, and the one before an array whose elements count
 * from 1, are given to functions that go back from there.
 */
#include "../memory/one_byte.h"

#include <stdint.h>

static __attribute__((noinline, noclone)) unsigned char bump(unsigned char *end, int by)
{
    end[-4] = (unsigned char)(end[-4] + by);
    return end[-4];
}

static __attribute__((noinline, noclone)) int from_one(int *before, int by)
{
    before[1] += by;
    return before[1];
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    int low = 0;
    uint32_t number = 0;
    int counts[2] = { 0, 0 };
    int high = 0;
    for (;;) {
        char request = next_request(conn);
        if (request == '\0')
            return low + high;
        int by = request == '1';
        int one = bump((unsigned char *)(&number + 1), by);
        int other = from_one((int *)((uintptr_t)counts - sizeof *counts), by);
        answer(conn, one == other ? (char)('0' + one) : 'B');
    }
}
