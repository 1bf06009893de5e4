/* # expect: verdict=pass liveness=exact local_states=2/2 distinct=7 generated=7 depth=7
 *
 * door: two polite nodes at a door that takes one at a time.  Node 0 dials node 1
 * and says "AFTER YOU"; node 1 gives that back, for it never goes first.  Node 0
 * takes the offer, goes through and says "THANKS", node 1 follows and says
 * "WELCOME", and both are gone.
 *
 * A node writes its state to descriptor 3, a length byte and the bytes.
 *
 * With -DBUG, node 0 is as polite as node 1: they give the offer back for ever,
 * and neither breaks a rule in any state.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPORT 3

/* All that the node's future depends on, in the order of the report. */
static struct {
    unsigned char id;
    unsigned char through; /* whether it went through the door */
} me;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Before every wait, so that the report is complete whenever the node is idle. */
static void report(void)
{
    unsigned char bytes[] = { sizeof me, me.id, me.through };
    if (write(REPORT, bytes, sizeof bytes) != sizeof bytes)
        die("door: report");
}

static int tcp(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        die("door: socket");
    return fd;
}

static void say(int conn, const char *text)
{
    if (send(conn, text, strlen(text), MSG_NOSIGNAL) < 0)
        perror("door: send");
}

/* The connection to the other node. */
static int meet(void)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons(20001),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = tcp();
    int on = 1;
    if (me.id == 0) {
        if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
            die("door: connect");
        say(fd, "AFTER YOU");
        return fd;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 1) < 0)
        die("door: listen");
    report();
    int conn = accept(fd, NULL, NULL);
    if (conn < 0)
        die("door: accept");
    close(fd);
    return conn;
}

/* Whether to wait for another word. */
static int hear(int conn, const char *text)
{
    if (strcmp(text, "AFTER YOU") == 0) {
#ifndef BUG
        if (me.id == 0) {
            me.through = 1;
            say(conn, "THANKS");
            return 1;
        }
#endif
        say(conn, "AFTER YOU");
    } else if (strcmp(text, "THANKS") == 0) {
        me.through = 1;
        say(conn, "WELCOME");
    } else {
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    me.id = argc > 1 && atoi(argv[1]) == 1;
    int conn = meet();
    char text[16];
    do {
        report();
        ssize_t n = read(conn, text, sizeof text - 1);
        if (n < 0)
            die("door: read");
        text[n] = '\0';
    } while (hear(conn, text));
    close(conn);
    return 0;
}
