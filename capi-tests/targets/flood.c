/* # expect: verdict=violated property=cap:effects
 *
 * Writes to its first connection for ever, whoever reads it.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    int conn = next_connection(listener);
    while (write(conn, "flood", 5) == 5)
        ;
    return 0;
}
