/* # expect: verdict=pass
 *
 * Branches on the clock and on chance: an accept that runs out of time after one
 * second counts, in a place that depends on the second and on a random byte. The
 * report holds all of it, and the random bytes that were drawn are the checker's
 * to count.
 */
#include "../targets/listener.h"
#include "../targets/report.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

static unsigned char counts[4]; /* odd seconds, even seconds; high bytes, low bytes */

static void count(void)
{
    unsigned char chance;
    counts[time(NULL) % 2 == 0]++;
    if (counts[0] == 1 && getrandom(&chance, 1, 0) == 1)
        counts[2 + (chance < 128)]++;
}

int main(int argc, char **argv)
{
    struct timeval second = { .tv_sec = 1 };
    int listener = listener_on(own_port(argc, argv));
    if (setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) < 0)
        return 9;
    count();
    for (;;) {
        report(counts, sizeof counts);
        int conn = accept(listener, NULL, NULL);
        if (conn < 0 && errno != EAGAIN)
            return 9;
        count();
        if (conn >= 0)
            close(conn);
    }
}
