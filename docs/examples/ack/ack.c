/* # expect: verdict=pass local_states=3 distinct=212 generated=369 depth=15
 *
 * ack: a TCP server that keeps one number over crashes and serves one
 * connection at a time.  "SET k", k a digit, is answered "OK" once k is
 * durable: an acknowledged write is never lost.  "GET" is answered the number.
 *
 * A number is made durable by writing it to descriptor 193, a length byte and
 * the byte; the last one that 193 holds is read at start.  The state, the
 * number alone, is written to descriptor 3 in the same form.
 *
 * With -DBUG, the answer goes out first and the number is made durable behind
 * it, before the server waits again.  Whoever looks only while the server waits
 * sees no difference; a crash between the two loses an acknowledged write.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPORT 3
#define DURABLE 193

static unsigned char number;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void record(int fd)
{
    unsigned char bytes[] = { 1, number };
    if (write(fd, bytes, sizeof bytes) != sizeof bytes)
        die("ack: record");
}

static void restore(void)
{
    unsigned char bytes[2];
    while (read(DURABLE, bytes, sizeof bytes) == sizeof bytes)
        number = bytes[1];
}

static int say(int conn, const char *text)
{
    return send(conn, text, strlen(text), MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int set(int conn, unsigned char value)
{
    number = value;
#ifdef BUG
    int said = say(conn, "OK");
    record(DURABLE);
    return said;
#else
    record(DURABLE);
    return say(conn, "OK");
#endif
}

static int obey(int conn, const char *text, size_t n)
{
    if (n == 5 && memcmp(text, "SET ", 4) == 0 && text[4] >= '0' && text[4] <= '9')
        return set(conn, (unsigned char)(text[4] - '0'));
    if (n == 3 && memcmp(text, "GET", n) == 0)
        return say(conn, (char[]){ (char)('0' + number), '\0' });
    return say(conn, "ERROR");
}

static void serve(int conn)
{
    char text[16];
    ssize_t n;
    do {
        record(REPORT);
        n = read(conn, text, sizeof text);
    } while (n > 0 && obey(conn, text, (size_t)n) == 0);
    close(conn);
}

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
        bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 8) < 0)
        die("ack: listen");
    return fd;
}

int main(int argc, char **argv)
{
    restore();
    int listener = listen_on(20000 + (argc > 1 ? atoi(argv[1]) : 0));
    for (;;) {
        record(REPORT);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0)
            die("ack: accept");
        serve(conn);
    }
}
