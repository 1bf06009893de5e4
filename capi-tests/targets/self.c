/* # expect: verdict=pass
 *
 * Connects to its own listener, accepts that connection and sends itself "me".
 * Reports 0, then 1 when the message has come.
 */
#include "listener.h"
#include "report.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    struct sockaddr_in at = loopback(own_port(argc, argv));
    int dialled = socket(AF_INET, SOCK_STREAM, 0);
    unsigned char come = 0;
    char text[16];
    report(&come, 1);
    if (dialled < 0 || connect(dialled, (struct sockaddr *)&at, sizeof at) < 0)
        return 9;
    int conn = next_connection(listener);
    if (write(dialled, "me", 2) != 2 || read(conn, text, sizeof text) != 2)
        return 9;
    come = 1;
    report(&come, 1);
    next_connection(listener);
    return 0;
}
