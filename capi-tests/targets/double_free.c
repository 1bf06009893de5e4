/* # expect: verdict=violated property=signal
 *
 * Frees a block twice when a connection comes.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    char *block = malloc(32);
    char *volatile again = block; /* so that no compiler warns */
    next_connection(listener);
    free(block);
    free(again);
    return 0;
}
