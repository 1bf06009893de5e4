/* build: gcc -O0 -g
 * build: gcc -O1 -g
 * build: gcc -O2 -g
 * build: clang -O1 -g
 * build: clang -O2 -g
 * send: 1 2 1 2
 * reply: k
 *
 * A complex number has two parts at an index, as an array has, and the constant of
 * the index may be folded into an address that lies in another variable.
 */
#include "../memory/one_byte.h"

#include <complex.h>
#include <string.h>

static double shadow[2];

static __attribute__((noinline, noclone)) void use(char *bytes, int at)
{
    bytes[at]++;
    bytes[at]--;
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    char below[900];
    double complex number = 0;
    char above[900];
    memset(below, 0, sizeof below);
    memset(above, 0, sizeof above);
    for (;;) {
        int request = next_request(conn);
        if (request == 0)
            return 0;
        use(below, request);
        use(above, request);
        double *part = (double *)&number;
        int kept = part[request - '1'] == shadow[request - '1'];
        part[request - '1'] += request;
        shadow[request - '1'] += request;
        answer(conn, kept ? 'k' : 'B');
    }
}
