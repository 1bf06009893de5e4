/* # expect: verdict=violated property=exit
 *
 * Returns 3 when a connection comes.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    next_connection(listener);
    return 3;
}
