/* # expect: verdict=error word=pause
 *
 * Listens, then sleeps in a call that nothing the checker delivers can end.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    pause();
    close(listener);
    return 0;
}
