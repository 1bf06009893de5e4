/* # expect: verdict=error word=MSG_DONTWAIT
 *
 * Reads a connection with MSG_DONTWAIT.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    int conn = next_connection(listener);
    char text[16];
    recv(conn, text, sizeof text, MSG_DONTWAIT);
    return 0;
}
