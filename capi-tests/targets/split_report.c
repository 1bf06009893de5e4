/* # expect: verdict=pass
 *
 * Reports one byte a write: the length, then the two bytes. A record is complete
 * however it was written.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char record[] = { 2, 7, 9 };
    for (size_t i = 0; i < sizeof record; i++)
        if (write(3, &record[i], 1) != 1)
            return 9;
    next_connection(listener);
    return 0;
}
