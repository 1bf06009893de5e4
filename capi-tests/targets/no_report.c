/* # expect: verdict=error word=report
 *
 * Never reports; the model says that it does.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    next_connection(listener);
    return 0;
}
