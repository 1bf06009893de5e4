/* A listening socket of the node that argv names, and connections to it, as
 * every target needs them: 127.0.0.1, port 20000 + node. */
#ifndef TARGET_LISTENER_H
#define TARGET_LISTENER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int own_port(int argc, char **argv)
{
    return 20000 + (argc > 1 ? atoi(argv[1]) : 0);
}

static inline struct sockaddr_in loopback(int port)
{
    struct sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_port = htons((in_port_t)port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

static inline int listener_on(int port)
{
    struct sockaddr_in at = loopback(port);
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 8) < 0) {
        perror("listener");
        exit(9);
    }
    return fd;
}

/* The next connection; status 9 when there is none to be had. */
static inline int next_connection(int listener)
{
    int conn = accept(listener, NULL, NULL);
    if (conn < 0) {
        perror("accept");
        exit(9);
    }
    return conn;
}

#endif
