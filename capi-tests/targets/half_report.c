/* # expect: verdict=error word=report
 *
 * Says that 5 bytes follow, reports 2, and waits.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char record[] = { 5, 1, 2 };
    if (write(3, record, sizeof record) != sizeof record)
        return 9;
    next_connection(listener);
    return 0;
}
