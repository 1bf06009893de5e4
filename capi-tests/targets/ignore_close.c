/* # expect: verdict=pass
 *
 * Never closes a connection: after its end it accepts the next one and leaves the
 * old descriptor open.
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;) {
        int conn = next_connection(listener);
        char text[16];
        while (read(conn, text, sizeof text) > 0)
            ;
    }
}
