/* build: gcc -O2 -g
 * send: 1 2 3 4
 * reply: 1234
 * raw_fallbacks: 0
 *
 * An array that is not written before it waits lies where malloc has worked.
 */
#include "../targets/listener.h"

struct node {
    struct node *next;
    char key;
};

static struct node *head;
static void *volatile big;

static void insert(char key)
{
    struct node **link = &head;
    while (*link != NULL && (*link)->key < key)
        link = &(*link)->next;
    struct node *new = malloc(sizeof *new);
    if (new == NULL)
        exit(9);
    *new = (struct node){ .next = *link, .key = key };
    *link = new;
}

static __attribute__((noinline, noclone)) void serve(int conn)
{
    char buf[1024];
    __asm__ volatile("" : : "r"(buf) : "memory");
    while (read(conn, buf, sizeof buf) > 0) {
        char keys[8];
        size_t n = 0;
        insert(buf[0]);
        for (struct node *at = head; at != NULL; at = at->next)
            keys[n++] = at->key;
        if (write(conn, keys, n) < 0)
            exit(9);
    }
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    big = malloc(70000);
    free(malloc(10));
    serve(conn);
}
