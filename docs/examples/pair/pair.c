/* # expect: verdict=pass local_states=5/4 distinct=2750 generated=6717 depth=20
 *
 * pair: a key-value store of one cell on two nodes.  Node 0, the primary, takes
 * writes; node 1, its backup, takes reads.  Each serves one request a
 * connection.  "SET k", k a digit, is sent on to the backup as it came and
 * answered "OK" when the backup has acknowledged it: a read that is answered
 * after an acknowledged write returns it.  When no acknowledgement comes in
 * time the primary dials again; after two tries it answers "FAILED", and the
 * write may have happened or not.  The backup answers "SET k" with "OK" and
 * "GET" with the cell.
 *
 * A node writes its state to descriptor 3, a length byte and the bytes.
 *
 * With -DBUG, the primary answers "OK" at once.  The backup does not know the
 * write yet, and never will if the message to it is lost.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define REPORT 3
#define PRIMARY 0
#define BACKUP 1
#define TRIES 2

enum position { IDLE, SERVING, REPLICATING };

/* All that the node's future depends on, in the order of the report. */
static struct {
    unsigned char id;
    unsigned char cell; /* '0' at first */
    unsigned char position;
    unsigned char tries; /* while replicating: how often the backup was dialled */
} me = { .cell = '0' };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Before every wait, so that the report is complete whenever the node is idle. */
static void report(enum position position)
{
    me.position = position;
    unsigned char bytes[1 + sizeof me] = { sizeof me, me.id, me.cell, me.position, me.tries };
    if (write(REPORT, bytes, sizeof bytes) != sizeof bytes)
        die("pair: report");
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
        die("pair: socket");
    return fd;
}

static void say(int conn, const char *text, size_t n)
{
    if (send(conn, text, n, MSG_NOSIGNAL) < 0)
        perror("pair: send");
}

/* Whether the backup has acknowledged the cell. */
static int replicate(void)
{
    struct timeval patience = { .tv_usec = 200 * 1000 };
    struct sockaddr_in at = address(BACKUP);
    char request[] = { 'S', 'E', 'T', ' ', (char)me.cell };
    char answer[2];
    int conn = tcp();
    int acknowledged = 0;
    if (setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        die("pair: time-out");
    if (connect(conn, (struct sockaddr *)&at, sizeof at) == 0) {
        say(conn, request, sizeof request);
#ifdef BUG
        acknowledged = 1;
        (void)answer;
#else
        report(REPLICATING);
        acknowledged = read(conn, answer, sizeof answer) == 2 && memcmp(answer, "OK", 2) == 0;
#endif
    }
    close(conn);
    return acknowledged;
}

static void set(int conn, unsigned char value)
{
    int done = me.id == BACKUP;
    me.cell = value;
    for (me.tries = 1; !done && me.tries <= TRIES; me.tries++)
        done = replicate();
    me.tries = 0;
    say(conn, done ? "OK" : "FAILED", done ? 2 : 6);
}

static void serve(int conn)
{
    char text[16];
    report(SERVING);
    ssize_t n = read(conn, text, sizeof text);
    if (n == 5 && memcmp(text, "SET ", 4) == 0)
        set(conn, (unsigned char)text[4]);
    else if (n == 3 && memcmp(text, "GET", 3) == 0)
        say(conn, (char *)&me.cell, 1);
    else if (n > 0)
        say(conn, "ERROR", 5);
    close(conn);
}

int main(int argc, char **argv)
{
    me.id = argc > 1 && atoi(argv[1]) == BACKUP ? BACKUP : PRIMARY;
    struct sockaddr_in at = address(me.id);
    int on = 1;
    int listener = tcp();
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 8) < 0)
        die("pair: listen");
    for (;;) {
        report(IDLE);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0)
            die("pair: accept");
        serve(conn);
    }
}
