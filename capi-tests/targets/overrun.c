/* # expect: verdict=violated property=signal
 *
 * Writes behind the end of a block, over the head of the next, when a connection
 * comes, then frees both.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    volatile char *volatile block = malloc(24); /* volatile: no compiler drops them */
    volatile char *volatile next = malloc(24);
    next_connection(listener);
    for (int i = 0; i < 48; i++)
        block[i] = '!';
    free((void *)next);
    free((void *)block);
    return 0;
}
