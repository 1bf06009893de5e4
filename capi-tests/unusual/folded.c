/* build: gcc -O1 -g
 * build: gcc -O2 -g
 * build: gcc -O1 -g -fno-gcse -fno-ivopts -fno-move-loop-invariants
 * build: clang -O1 -g
 * send: 1 1 2 2
 * reply: k
 *
 * The bytes of a number at an index that counts from a character.
 */
#include "../memory/one_byte.h"

#include <stdint.h>
#include <string.h>

static unsigned char shadow[8];

static __attribute__((noinline, noclone)) void use(char *bytes, long at)
{
    bytes[at]++;
    bytes[at]--;
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    char below[300];
    uint64_t number = 0;
    char above[300];
    memset(below, 0, sizeof below);
    memset(above, 0, sizeof above);
    for (;;) {
        long request = next_request(conn);
        if (request == 0)
            return 0;
        use(below, request);
        use(above, request);
        unsigned char *byte = (unsigned char *)&number;
        int kept = byte[request - '1'] == shadow[request - '1'];
        byte[request - '1'] += (unsigned char)request;
        shadow[request - '1'] += (unsigned char)request;
        answer(conn, kept ? 'k' : 'B');
    }
}
