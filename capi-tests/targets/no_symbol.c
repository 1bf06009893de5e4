/* # expect: verdict=error word=cmc_state
 *
 * Has no symbol cmc_state; the model names it as the region.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    next_connection(listener);
    return 0;
}
