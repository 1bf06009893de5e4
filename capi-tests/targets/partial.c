/* # expect: verdict=pass
 *
 * Reads two bytes at a time and answers each read with what it got. What does not
 * fit stays first in line: "abc" is answered "ab" and "c".
 */
#include "listener.h"

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;) {
        int conn = next_connection(listener);
        char text[2];
        ssize_t n;
        while ((n = read(conn, text, sizeof text)) > 0)
            if (write(conn, text, (size_t)n) != n)
                break;
        close(conn);
    }
}
