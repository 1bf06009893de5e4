/* # expect: verdict=pass local_states=7/6 distinct=7342 generated=14995 depth=29
 *
 * stale: registers on two nodes.  Each node serves one connection at a time
 * until its client closes.  "SET k v" writes the register k, a letter, with the
 * digit v and is answered "OK"; "GET k" is answered its digit, or "NONE" before
 * the first write.  A write is sent on to the other node as "COPY k v".
 *
 * The node that takes a write answers it when the other node has acknowledged
 * the copy, so that whoever reads there afterwards finds it: the registers are
 * linearizable while writes come to one node only.
 *
 * With -DBUG, it answers at once and does not wait for the acknowledgement: a
 * read at the other node may be stale.
 *
 * A node writes its state to descriptor 3, a length byte and the bytes.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPORT 3

enum position { IDLE, SERVING, COPYING };

/* All that the node's future depends on, in the order of the report. */
static struct {
    unsigned char id;
    unsigned char position;
    unsigned char registers[2]; /* x and y; 0 before the first write */
} me;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Before every wait, so that the report is complete whenever the node is idle. */
static void report(enum position position)
{
    me.position = position;
    unsigned char bytes[1 + sizeof me] = { sizeof me };
    memcpy(bytes + 1, &me, sizeof me);
    if (write(REPORT, bytes, sizeof bytes) != sizeof bytes)
        die("stale: report");
}

static struct sockaddr_in address(int node)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons(20000 + node),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
}

static int tcp(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        die("stale: socket");
    return fd;
}

static void say(int conn, const char *text, size_t n)
{
    if (send(conn, text, n, MSG_NOSIGNAL) < 0)
        perror("stale: send");
}

static void copy(const char *pair)
{
    struct sockaddr_in at = address(1 - me.id);
    char text[] = { 'C', 'O', 'P', 'Y', ' ', pair[0], ' ', pair[2] };
    char answer[4];
    int conn = tcp();
    if (connect(conn, (struct sockaddr *)&at, sizeof at) == 0) {
        say(conn, text, sizeof text);
#ifdef BUG
        (void)answer;
#else
        report(COPYING);
        if (read(conn, answer, sizeof answer) != 2)
            die("stale: no acknowledgement");
#endif
    }
    close(conn);
}

static void obey(int conn, const char *text, size_t n)
{
    int set = n == 7 && memcmp(text, "SET ", 4) == 0;
    int copied = n == 8 && memcmp(text, "COPY ", 5) == 0;
    int get = n == 5 && memcmp(text, "GET ", 4) == 0;
    if (!set && !copied && !get) {
        say(conn, "ERROR", 5);
        return;
    }
    const char *pair = strchr(text, ' ') + 1;
    unsigned char *cell = &me.registers[pair[0] == 'y'];
    if (get) {
        say(conn, *cell ? (char *)cell : "NONE", *cell ? 1 : 4);
        return;
    }
    *cell = (unsigned char)pair[2];
    if (set)
        copy(pair);
    say(conn, "OK", 2);
}

static void serve(int conn)
{
    char text[16];
    ssize_t n;
    report(SERVING);
    while ((n = read(conn, text, sizeof text)) > 0) {
        obey(conn, text, (size_t)n);
        report(SERVING);
    }
    close(conn);
}

int main(int argc, char **argv)
{
    me.id = argc > 1 && atoi(argv[1]) == 1;
    struct sockaddr_in at = address(me.id);
    int on = 1;
    int listener = tcp();
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 8) < 0)
        die("stale: listen");
    for (;;) {
        report(IDLE);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0)
            die("stale: accept");
        serve(conn);
    }
}
