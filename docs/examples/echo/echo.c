/* # expect: verdict=pass local_states=4 distinct=61 generated=97 depth=15
 *
 * echo: a TCP server that sends every message back and serves one connection
 * at a time.  Its state is the number of messages echoed since it started,
 * modulo 256.
 *
 * With -DROOM=n it reads and sends back n bytes at most at once.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef ROOM
#define ROOM 64
#endif

unsigned char echoed;

static int listen_on(int port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 8) < 0) {
        perror("echo: listen");
        exit(1);
    }
    return fd;
}

int main(int argc, char **argv)
{
    int listener = listen_on(20000 + (argc > 1 ? atoi(argv[1]) : 0));
    for (;;) {
        int conn = accept(listener, NULL, NULL);
        if (conn < 0) {
            perror("echo: accept");
            return 1;
        }
        char text[ROOM];
        ssize_t n;
        while ((n = read(conn, text, sizeof text)) > 0) {
            if (write(conn, text, (size_t)n) < 0)
                break;
            echoed++;
        }
        close(conn);
    }
}
