/* # expect: verdict=error word=O_NONBLOCK
 *
 * Makes its listener non-blocking and tries to accept.
 */
#include "listener.h"

#include <fcntl.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    if (fcntl(listener, F_SETFL, O_NONBLOCK) < 0)
        return 9;
    next_connection(listener);
    return 0;
}
