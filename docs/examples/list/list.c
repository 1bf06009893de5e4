/* # expect: verdict=pass local_states=8 distinct=25 generated=33 depth=9
 *
 * list: a TCP server that keeps a sorted set of keys as a linked list from
 * malloc and serves one connection at a time.  "INS k", k from 1 to 4, inserts
 * a key and is answered "OK".
 *
 * Two orders of the same insertions build the same set from nodes at different
 * addresses.  Without a report the bytes of the heap tell them apart; with
 * -DREPORT the server writes its keys in order to descriptor 3, and they merge.
 *
 * With -DBUG, a key inserted before the head drops the old head: the shortest
 * way to lose a key is "INS 2", "INS 1".
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEYS 4

struct node {
    struct node *next;
    unsigned char key;
};

static struct node *head;

#ifdef REPORT
/* A length byte, then the keys in order; zeros keep every field in its place. */
static void report(void)
{
    unsigned char bytes[1 + KEYS] = { KEYS };
    int n = 1;
    for (const struct node *at = head; at != NULL; at = at->next)
        bytes[n++] = at->key;
    if (write(3, bytes, sizeof bytes) < 0)
        perror("list: report");
}
#else
static void report(void)
{
}
#endif

static void insert(unsigned char key)
{
    struct node **link = &head;
    while (*link != NULL && (*link)->key < key)
        link = &(*link)->next;
    if (*link != NULL && (*link)->key == key)
        return;
    struct node *new = malloc(sizeof *new);
    if (new == NULL) {
        perror("list: malloc");
        exit(1);
    }
    new->key = key;
    new->next = *link;
#ifdef BUG
    if (link == &head && head != NULL)
        new->next = head->next;
#endif
    *link = new;
}

static const char *obey(const char *text, size_t n)
{
    if (n != 5 || memcmp(text, "INS ", 4) != 0 || text[4] < '1' || text[4] > '0' + KEYS)
        return "ERROR";
    insert((unsigned char)(text[4] - '0'));
    report();
    return "OK";
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
        perror("list: listen");
        exit(1);
    }
    return fd;
}

int main(int argc, char **argv)
{
    int listener = listen_on(20000 + (argc > 1 ? atoi(argv[1]) : 0));
    report();
    for (;;) {
        int conn = accept(listener, NULL, NULL);
        if (conn < 0) {
            perror("list: accept");
            return 1;
        }
        serve(conn);
    }
}
