/* # expect: verdict=pass local_states=4 distinct=12 generated=15 depth=7
 *
 * kv: a TCP server that keeps two one-byte cells and serves one connection at
 * a time.  "SET a" and "SET b" set a cell and are answered "OK".  The cells
 * commute: both orders of the two messages reach the same state, and the
 * server's whole logical state is the region cmc_state.
 *
 * With -DBUG, setting a clears b: a cell once set does not stay set.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

unsigned char cmc_state[2]; /* the cells a and b */

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
        perror("kv: listen");
        exit(1);
    }
    return fd;
}

static const char *obey(const char *text, size_t n)
{
    if (n == 5 && memcmp(text, "SET a", n) == 0) {
        cmc_state[0] = 1;
#ifdef BUG
        cmc_state[1] = 0;
#endif
        return "OK";
    }
    if (n == 5 && memcmp(text, "SET b", n) == 0) {
        cmc_state[1] = 1;
        return "OK";
    }
    return "ERROR";
}

static void serve(int conn)
{
    char text[16];
    ssize_t n;
    while ((n = read(conn, text, sizeof text)) > 0) {
        const char *answer = obey(text, (size_t)n);
        if (write(conn, answer, strlen(answer)) < 0)
            break;
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listen_on(20000 + (argc > 1 ? atoi(argv[1]) : 0));
    for (;;) {
        int conn = accept(listener, NULL, NULL);
        if (conn < 0) {
            perror("kv: accept");
            return 1;
        }
        serve(conn);
    }
}
