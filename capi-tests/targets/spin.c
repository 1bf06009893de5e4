/* # expect: verdict=error word=spinning
 *
 * Listens, then computes for ever: never a wait, never an exit.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (volatile unsigned long turns = (unsigned long)listener;; turns++)
        ;
}
