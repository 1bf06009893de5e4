/* # expect: verdict=pass
 *
 * Reads on after the end of a connection, which returns 0 for ever. On a kernel it
 * spins; to the checker each read is a wait that EOF ends, in the same world.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    int conn = next_connection(listener);
    char text[16];
    for (;;)
        if (read(conn, text, sizeof text) < 0)
            return 9;
}
