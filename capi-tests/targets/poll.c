/* # expect: verdict=error word=poll
 *
 * Polls its listener.
 */
#include "listener.h"

#include <poll.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    struct pollfd wait = { .fd = listener, .events = POLLIN };
    if (poll(&wait, 1, -1) < 0)
        return 9;
    next_connection(listener);
    return 0;
}
