/* # expect: verdict=error word=report
 *
 * Reports 300 bytes behind a length byte that can say 255 at most.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char record[300] = { 255 };
    if (write(3, record, sizeof record) != sizeof record)
        return 9;
    next_connection(listener);
    return 0;
}
