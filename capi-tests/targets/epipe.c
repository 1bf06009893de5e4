/* # expect: verdict=pass
 *
 * Writes after its own shutdown(SHUT_WR) with SIGPIPE ignored, and reports the
 * error as one byte: EPIPE, 32. Before that it reports 0.
 */
#include "listener.h"
#include "report.h"

#include <errno.h>
#include <signal.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char error = 0;
    signal(SIGPIPE, SIG_IGN);
    report(&error, 1);
    int conn = next_connection(listener);
    shutdown(conn, SHUT_WR);
    if (write(conn, "late", 4) < 0)
        error = (unsigned char)errno;
    report(&error, 1);
    next_connection(listener);
    return 0;
}
