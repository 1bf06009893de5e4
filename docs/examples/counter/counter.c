/* # expect: verdict=pass local_states=18/18/8 distinct=1119 generated=2286 depth=27
 *
 * counter: three nodes that count together.  Any of them takes "INC", counts
 * it, and sends it to both peers in turn; a peer that does not acknowledge in
 * time is asked once more.  The answer is "ALL" when both have acknowledged,
 * else "SOME".  Promised is that no node counts an increment twice, and that
 * every node has counted an increment that was answered "ALL".
 *
 * An increment is '+', the node that took it and its number there (each '0' +
 * number), and is answered "A".  A node serves one request a connection, so two
 * that take increments at once wait for each other until a time-out.
 *
 * A node writes its state to descriptor 3, a length byte and the bytes.
 *
 * With -DBUG, a peer does not look at the number: an increment that is sent
 * again, because its acknowledgement was late or lost, is counted twice.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define NODES 3
#define TRIES 2
#define REPORT 3

enum position { IDLE, SERVING, SENDING };

/* All that the node's future depends on, in the order of the report. */
static struct {
    unsigned char id;
    unsigned char count;
    unsigned char last[NODES]; /* of each node's increments the last that was counted here */
    unsigned char position;
    unsigned char peer;         /* while sending: to whom */
    unsigned char tries;        /* while sending: the number of this try */
    unsigned char acknowledged; /* while sending: by how many peers */
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
        die("counter: report");
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
        die("counter: socket");
    return fd;
}

static void say(int conn, const char *text, size_t n)
{
    if (send(conn, text, n, MSG_NOSIGNAL) < 0)
        perror("counter: send");
}

static int tell(int peer)
{
    struct timeval patience = { .tv_usec = 200 * 1000 };
    struct sockaddr_in at = address(peer);
    char request[] = { '+', (char)('0' + me.id), (char)('0' + me.last[me.id]) };
    char answer = 0;
    int conn = tcp();
    if (setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        die("counter: time-out");
    if (connect(conn, (struct sockaddr *)&at, sizeof at) == 0) {
        say(conn, request, sizeof request);
        report(SENDING);
        if (read(conn, &answer, 1) != 1)
            answer = 0;
    }
    close(conn);
    return answer == 'A';
}

static void increment(int conn)
{
    me.count++;
    me.last[me.id]++;
    for (int i = 1; i < NODES; i++) {
        int done = 0;
        me.peer = (unsigned char)((me.id + i) % NODES);
        for (me.tries = 1; !done && me.tries <= TRIES; me.tries++)
            done = tell(me.peer);
        me.acknowledged += done;
    }
    int all = me.acknowledged == NODES - 1;
    me.peer = me.tries = me.acknowledged = 0;
    say(conn, all ? "ALL" : "SOME", all ? 3 : 4);
}

static void count(int conn, int origin, int number)
{
#ifdef BUG
    int fresh = 1;
#else
    int fresh = number > me.last[origin];
#endif
    if (fresh) {
        me.count++;
        me.last[origin] = (unsigned char)number;
    }
    say(conn, "A", 1);
}

static void serve(int conn)
{
    char text[16];
    report(SERVING);
    ssize_t n = read(conn, text, sizeof text);
    if (n == 3 && memcmp(text, "INC", 3) == 0)
        increment(conn);
    else if (n == 3 && text[0] == '+' && text[1] >= '0' && text[1] < '0' + NODES)
        count(conn, text[1] - '0', text[2] - '0');
    else if (n > 0)
        say(conn, "ERROR", 5);
    close(conn);
}

int main(int argc, char **argv)
{
    me.id = (unsigned char)(argc > 1 ? atoi(argv[1]) : 0);
    struct sockaddr_in at = address(me.id);
    int on = 1;
    int listener = tcp();
    if (me.id >= NODES || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 8) < 0)
        die("counter: listen");
    for (;;) {
        report(IDLE);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0)
            die("counter: accept");
        serve(conn);
    }
}
