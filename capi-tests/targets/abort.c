/* # expect: verdict=violated property=signal
 *
 * Waits for a connection and aborts when it comes.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    next_connection(listener);
    abort();
}
