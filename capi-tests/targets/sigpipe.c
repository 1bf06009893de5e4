/* # expect: verdict=violated property=signal
 *
 * Writes after its own shutdown(SHUT_WR): SIGPIPE, which it leaves to kill it.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    int conn = next_connection(listener);
    shutdown(conn, SHUT_WR);
    return write(conn, "late", 4) < 0 ? 9 : 0;
}
