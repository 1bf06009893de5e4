/* # expect: verdict=error word=SOCK_DGRAM
 *
 * Opens a datagram socket.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    struct sockaddr_in at = loopback(own_port(argc, argv));
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    char text[16];
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || read(fd, text, sizeof text) < 0)
        return 9;
    return 0;
}
