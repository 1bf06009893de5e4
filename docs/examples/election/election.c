/* # expect: verdict=pass local_states=19/19/19 distinct=1204 generated=2245 depth=15
 *
 * election: three nodes elect a leader, by majority, in numbered terms.
 *
 * A node that waits too long for a connection becomes candidate of the next
 * term, votes for itself and asks its peers in turn; two votes make it leader.
 * A node votes once in a term.  No vote counts before it is durable, so that a
 * node that restarts does not vote again.  There are no heartbeats: followers
 * run again and again, and only "one leader per term" is promised.
 *
 * A request is 'V', term, candidate (each '0' + number); the answer, on the
 * same connection, is 'Y' or 'N'.  No answer in time is a refusal.
 *
 * A node writes its state to descriptor 3 and its votes to descriptor 193, each
 * a length byte and the bytes; the last vote that 193 holds is read at start.
 *
 * With -DBUG, a vote for another node is not made durable: a node that crashes
 * after it forgets the term and votes in it once more.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define NODES 3
#define REPORT 3
#define DURABLE 193

enum role { FOLLOWER, CANDIDATE, LEADER };
enum position { IDLE, ANSWERING, ASKING };

/* All that the node's future depends on, in the order of the report. */
static struct {
    unsigned char id;
    unsigned char role;
    unsigned char term;
    unsigned char vote; /* 1 + the node voted for in this term, 0: none */
    unsigned char position;
    unsigned char peer;  /* while asking: whom */
    unsigned char votes; /* while asking: won so far */
} me;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Before every wait, so that the report is complete whenever the node is idle. */
static void report(void)
{
    unsigned char bytes[1 + sizeof me] = {
        sizeof me, me.id, me.role, me.term, me.vote, me.position, me.peer, me.votes,
    };
    if (write(REPORT, bytes, sizeof bytes) != sizeof bytes)
        die("election: report");
}

static void persist(void)
{
    unsigned char record[] = { 2, me.term, me.vote };
    if (write(DURABLE, record, sizeof record) != sizeof record)
        die("election: persist");
}

static void restore(void)
{
    unsigned char record[3];
    while (read(DURABLE, record, sizeof record) == sizeof record) {
        me.term = record[1];
        me.vote = record[2];
    }
}

static struct sockaddr_in address(int node)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons(20000 + node),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
}

static int tcp(int milliseconds)
{
    struct timeval patience = { .tv_usec = milliseconds * 1000 };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        die("election: socket");
    return fd;
}

static int ask(int peer)
{
    unsigned char request[] = { 'V', '0' + me.term, '0' + me.id };
    struct sockaddr_in at = address(peer);
    char answer = 'N';
    int conn = tcp(150);
    if (connect(conn, (struct sockaddr *)&at, sizeof at) == 0 &&
        send(conn, request, sizeof request, MSG_NOSIGNAL) == sizeof request) {
        me.position = ASKING;
        me.peer = peer;
        report();
        if (read(conn, &answer, 1) != 1)
            answer = 'N';
    }
    close(conn);
    return answer == 'Y';
}

static void campaign(void)
{
    me.role = CANDIDATE;
    me.term++;
    me.vote = 1 + me.id;
    me.votes = 1;
    persist();
    for (int i = 1; i < NODES && me.votes <= NODES / 2; i++)
        me.votes += ask((me.id + i) % NODES);
    if (me.votes > NODES / 2)
        me.role = LEADER;
    me.peer = 0;
    me.votes = 0;
}

static void answer(int conn)
{
    unsigned char request[3];
    me.position = ANSWERING;
    report();
    if (read(conn, request, sizeof request) == sizeof request && request[0] == 'V') {
        char granted = 'N';
        unsigned char term = request[1] - '0';
        if (term > me.term) {
            me.role = FOLLOWER;
            me.term = term;
            me.vote = 1 + request[2] - '0';
#ifndef BUG
            persist();
#endif
            granted = 'Y';
        }
        send(conn, &granted, 1, MSG_NOSIGNAL);
    }
    close(conn);
}

int main(int argc, char **argv)
{
    me.id = argc > 1 ? atoi(argv[1]) : 0;
    restore();

    struct sockaddr_in at = address(me.id);
    int on = 1;
    int listener = tcp(300 + 200 * me.id);
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 8) < 0)
        die("election: listen");
    for (;;) {
        me.position = IDLE;
        report();
        int conn = accept(listener, NULL, NULL);
        if (conn >= 0)
            answer(conn);
        else if (errno != EAGAIN)
            die("election: accept");
        else if (me.role != LEADER)
            campaign();
    }
}
