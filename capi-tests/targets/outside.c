/* # expect: verdict=error word=192.0.2.1
 *
 * Connects to an address outside the host: no packet may leave.
 */
#include "listener.h"

int main(void)
{
    struct sockaddr_in at = loopback(80);
    at.sin_addr.s_addr = inet_addr("192.0.2.1");
    int conn = socket(AF_INET, SOCK_STREAM, 0);
    if (conn < 0 || connect(conn, (struct sockaddr *)&at, sizeof at) < 0)
        return 9;
    close(conn);
    return 0;
}
