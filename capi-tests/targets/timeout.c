/* # expect: verdict=pass
 *
 * Waits for a connection and for a message, both with a time-out of 250 ms that a
 * connection inherits. Each time-out is EAGAIN; it counts them and reports
 * where it waits (0 accept, 1 read), the count, and the milliseconds since it
 * started in two bytes, little-endian. Leaves with status 9 on any other error.
 */
#include "listener.h"
#include "report.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>

static void tell(unsigned char where, unsigned char count, const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
    unsigned char bytes[] = { where, count, (unsigned char)ms, (unsigned char)(ms >> 8) };
    report(bytes, sizeof bytes);
}

int main(int argc, char **argv)
{
    struct timeval patience = { .tv_usec = 250000 };
    int listener = listener_on(own_port(argc, argv));
    struct timespec start;
    unsigned char count = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        return 9;
    for (;;) {
        char text[16];
        ssize_t n;
        tell(0, count, &start);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0) {
            if (errno != EAGAIN)
                return 9;
            count++;
            continue;
        }
        do {
            tell(1, count, &start);
            n = read(conn, text, sizeof text);
            if (n < 0 && errno != EAGAIN)
                return 9;
            count += n < 0;
        } while (n != 0);
        close(conn);
    }
}
