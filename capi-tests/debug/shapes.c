/* Types and variables of all sorts, with what the compiler says of them. */
#include "frame.h"
#include <stddef.h>
#include <stdlib.h>

enum colour { RED, GREEN };

struct part {
    char tag;
    struct {
        short low, high;
    };
    union {
        long wide;
        char bytes[8];
    } as;
};

struct node {
    int key;
    struct node *next;
    struct part parts[3];
    int grid[2][5];
    enum colour colour;
    unsigned ready : 1, closed : 1, level : 12;
    const struct hidden *hidden;
    int (*call)(int);
    char *text;
    char tail[];
};

typedef struct {
    double x, y;
} point;

struct hidden *make_hidden(void);
int other(void);

struct node *head;
static point points[4] = {{1, 2}};
static int shared = 3;
__thread int of_thread = 4;
struct node with_tail = {.key = 5, .tail = "twelve bytes"};

static __attribute__((noinline)) int count(void)
{
    static int calls;
    static struct node last;
    last.key++;
    printf("linked count:calls %#lx %zu\n", linked(&calls), sizeof calls);
    printf("linked last %#lx %zu\n", linked(&last), sizeof last);
    return ++calls;
}

#define FIELD(type, path) \
    printf("offset %s|%s %zu %zu\n", #type, #path, offsetof(type, path), sizeof(((type *)0)->path))

int main(void)
{
    struct node *node = calloc(1, sizeof *node);
    node->hidden = make_hidden();
    head = node;
    FIELD(struct node, key);
    FIELD(struct node, next);
    FIELD(struct node, parts);
    FIELD(struct node, parts[2]);
    FIELD(struct node, parts[2].tag);
    FIELD(struct node, parts[1].high);
    FIELD(struct node, parts[1].as);
    FIELD(struct node, parts[1].as.wide);
    FIELD(struct node, parts[1].as.bytes[3]);
    FIELD(struct node, grid[1]);
    FIELD(struct node, grid[1][3]);
    FIELD(struct node, colour);
    FIELD(struct node, hidden);
    FIELD(struct node, call);
    FIELD(struct node, text);
    FIELD(point, y);
    printf("offset struct node|tail %zu 0\n", offsetof(struct node, tail));
    printf("linked head %#lx %zu\n", linked(&head), sizeof head);
    printf("linked points %#lx %zu\n", linked(&points), sizeof points);
    printf("linked shapes.c:shared %#lx %zu\n", linked(&shared), sizeof shared);
    printf("linked with_tail %#lx 0\n", linked(&with_tail));
    shared += count() + of_thread + other();
    return points[1].x != 0;
}
