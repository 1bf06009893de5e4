/* # expect: verdict=pass
 *
 * Reads the clock three ways and eight random bytes, and reports them: seconds by
 * time, clock_gettime and gettimeofday (8 bytes each, little-endian), then the
 * random bytes. The first three are 946684800, 2000-01-01 00:00:00 UTC.
 */
#include "listener.h"
#include "report.h"

#include <stdint.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    struct timespec precise;
    struct timeval day;
    int64_t answer[4];
    answer[0] = time(NULL);
    if (clock_gettime(CLOCK_REALTIME, &precise) < 0 || gettimeofday(&day, NULL) < 0 ||
        getrandom(&answer[3], sizeof answer[3], 0) != sizeof answer[3])
        return 9;
    answer[1] = precise.tv_sec;
    answer[2] = day.tv_sec;
    report(answer, sizeof answer);
    next_connection(listener);
    return 0;
}
