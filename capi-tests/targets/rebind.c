/* # expect: verdict=pass
 *
 * Binds a second socket to its own port and reports the error as one byte:
 * EADDRINUSE, 98.
 */
#include "listener.h"
#include "report.h"

#include <errno.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    struct sockaddr_in at = loopback(own_port(argc, argv));
    int second = socket(AF_INET, SOCK_STREAM, 0);
    unsigned char error = 0;
    if (bind(second, (struct sockaddr *)&at, sizeof at) < 0)
        error = (unsigned char)errno;
    report(&error, 1);
    next_connection(listener);
    return 0;
}
