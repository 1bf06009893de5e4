/* A second file: the type that the first only declares, and a static variable of the same name. */
#include "frame.h"

struct hidden {
    long secret;
    char room[24];
};

struct hidden *make_hidden(void);
int other(void);

static struct hidden only;
static char shared[2] = {1, 2};

struct hidden *make_hidden(void)
{
    printf("linked hidden.c:shared %#lx %zu\n", linked(&shared), sizeof shared);
    printf("linked only %#lx %zu\n", linked(&only), sizeof only);
    return &only;
}

int other(void)
{
    return shared[0]++;
}
