/* A set of keys, and what happened meanwhile in every place that a program has:
 * data, a structure in it, heap objects by their type, what a pointer in a heap
 * object leads to, a local variable, and one that -O2 keeps in a register.  An
 * answer tells whether the key was there.  So the set is all that matters, and
 * with each of a, a, b sent once it has 4 values, behind 1 wait for the client.
 *
 * `ignored` is what of it no answer depends on; each of these makes states more.
 */
#include "../targets/listener.h"

#include <string.h>

struct node {
    struct node *next;
    unsigned visits;
    char key;
};

struct book {
    unsigned length;
    char *text;
};

static struct {
    unsigned kept[2];
    struct {
        unsigned hits, misses;
    } count;
} table;
static struct node *head;
static struct book *book;
__thread unsigned own;

static void fail(const char *what)
{
    perror(what);
    exit(9);
}

static void note(char key)
{
    book->length++;
    book->text[0] = key;
}

static const char *visit(char key)
{
    struct node **link = &head;
    while (*link != NULL && (*link)->key < key)
        link = &(*link)->next;
    if (*link != NULL && (*link)->key == key) {
        (*link)->visits++;
        table.count.hits++;
        return "old";
    }
    struct node *new = malloc(sizeof *new);
    if (new == NULL)
        fail("malloc");
    /* One by one: a structure is copied with what lies between its fields. */
    new->next = *link;
    new->visits = 1;
    new->key = key;
    *link = new;
    table.count.misses++;
    return "new";
}

static void serve(int conn)
{
    struct {
        unsigned last;
        char text[8];
    } request = {0};
    unsigned served = 0;
    while (read(conn, request.text, sizeof request.text) > 0) {
        const char *answer = visit(request.text[0]);
        note(request.text[0]);
        served++;
        if (book->length > 100)
            exit((int)served);
        own = 1;
        if (write(conn, answer, 3) < 0)
            break;
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    book = calloc(1, sizeof *book);
    if (book == NULL || (book->text = calloc(1, 8)) == NULL)
        fail("calloc");
    for (;;)
        serve(next_connection(listener));
}
