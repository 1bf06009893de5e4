/* # expect: verdict=error word=port
 *
 * Connects to a port that no node owns.
 */
#include "listener.h"

int main(void)
{
    struct sockaddr_in at = loopback(9);
    int conn = socket(AF_INET, SOCK_STREAM, 0);
    if (conn < 0 || connect(conn, (struct sockaddr *)&at, sizeof at) < 0)
        return 9;
    close(conn);
    return 0;
}
