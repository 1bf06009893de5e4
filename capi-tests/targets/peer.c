/* # expect: verdict=pass
 *
 * Reports what it learns of a connection: own port by getsockname (2 bytes, as on
 * the wire), family of the peer by getpeername (1 byte), SO_ERROR (1 byte). Before
 * the connection it reports zeros.
 */
#include "listener.h"
#include "report.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char learnt[4] = { 0 };
    struct sockaddr_in own, other;
    socklen_t own_size = sizeof own, other_size = sizeof other;
    int error = -1;
    socklen_t error_size = sizeof error;
    report(learnt, sizeof learnt);
    int conn = next_connection(listener);
    if (getsockname(conn, (struct sockaddr *)&own, &own_size) < 0 ||
        getpeername(conn, (struct sockaddr *)&other, &other_size) < 0 ||
        getsockopt(conn, SOL_SOCKET, SO_ERROR, &error, &error_size) < 0)
        return 9;
    memcpy(learnt, &own.sin_port, 2);
    learnt[2] = (unsigned char)other.sin_family;
    learnt[3] = (unsigned char)error;
    report(learnt, sizeof learnt);
    next_connection(listener);
    return 0;
}
