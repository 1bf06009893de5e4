/* # expect: verdict=pass
 *
 * Writes "out 1" to standard output and "err 1" to standard error, flushes, and
 * waits for a connection.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    printf("out 1\n");
    fflush(stdout);
    fprintf(stderr, "err 1\n");
    next_connection(listener);
    return 0;
}
