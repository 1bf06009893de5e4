/* # expect: verdict=pass local_states=7 distinct=65 generated=103 depth=17
 *
 * lock: a TCP server that lends one lock to two clients.  It accepts two
 * connections, then reads them in turn until both are closed, and exits.
 * "LOCK" is answered "GRANTED" or "BUSY", "UNLOCK" is answered "RELEASED", or
 * "BUSY" when the other client holds the lock.  A client that disconnects
 * while it holds the lock gives it back.
 *
 * With -DBUG it does not: the lock stays with a client that is gone.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct {
    unsigned char holder;       /* 0: nobody, 1: the first connection, 2: the second */
    unsigned char connected[2]; /* of the first and second connection */
} cmc_state;

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
        perror("lock: listen");
        exit(1);
    }
    return fd;
}

static const char *obey(unsigned char who, const char *text, size_t n)
{
    if (n == 4 && memcmp(text, "LOCK", n) == 0) {
        if (cmc_state.holder == 0)
            cmc_state.holder = who;
        return cmc_state.holder == who ? "GRANTED" : "BUSY";
    }
    if (n == 6 && memcmp(text, "UNLOCK", n) == 0) {
        if (cmc_state.holder == who)
            cmc_state.holder = 0;
        return cmc_state.holder == 0 ? "RELEASED" : "BUSY";
    }
    return "ERROR";
}

static void disconnect(int conn, int i)
{
    close(conn);
    cmc_state.connected[i] = 0;
#ifndef BUG
    if (cmc_state.holder == i + 1)
        cmc_state.holder = 0;
#endif
}

int main(int argc, char **argv)
{
    int listener = listen_on(20000 + (argc > 1 ? atoi(argv[1]) : 0));
    int conn[2];
    for (int i = 0; i < 2; i++) {
        conn[i] = accept(listener, NULL, NULL);
        if (conn[i] < 0) {
            perror("lock: accept");
            return 1;
        }
        cmc_state.connected[i] = 1;
    }
    for (int i = 0; cmc_state.connected[0] || cmc_state.connected[1]; i = 1 - i) {
        char text[16];
        if (!cmc_state.connected[i])
            continue;
        ssize_t n = read(conn[i], text, sizeof text);
        if (n <= 0) {
            disconnect(conn[i], i);
            continue;
        }
        const char *answer = obey((unsigned char)(i + 1), text, (size_t)n);
        if (write(conn[i], answer, strlen(answer)) < 0)
            disconnect(conn[i], i);
    }
    return 0;
}
