/* # expect: verdict=pass
 *
 * Keeps an array on the stack across a wait, filled with an address of its
 * own stack: raw memory differs from run to run unless addresses are fixed.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    void *volatile marks[8];
    for (int i = 0; i < 8; i++)
        marks[i] = (void *)&marks[i];
    next_connection(listener);
    return marks[7] == (void *)&marks[7] ? 0 : 9;
}
