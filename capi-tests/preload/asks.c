/*
 * expect: exit 0
 *
 * Every clock and random function once, after a second call of early(). The system calls that follow
 * it must be one for each line here, in this order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

void early(void);

int main(void)
{
	struct timespec now = {0}, step = {0}, utc = {0};
	struct timeval day = {0};
	struct timezone zone = {.tz_minuteswest = 7};
	time_t seconds = 0;
	unsigned char bytes[300] = {0};

	early();
	CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	CHECK(clock_getres(CLOCK_REALTIME, &step) == 0);
	CHECK(gettimeofday(&day, &zone) == 0);
	CHECK(time(&seconds) == seconds);
	CHECK(timespec_get(&utc, TIME_UTC) == TIME_UTC);
	CHECK(clock_gettime(12345, &now) == -1 && errno == EINVAL);
	CHECK(getrandom(bytes, 8, GRND_NONBLOCK) == 8);
	CHECK(getentropy(bytes, 16) == 0);
#if __GLIBC_PREREQ(2, 36)
	arc4random_buf(bytes, 24);
	(void)arc4random();
	CHECK(arc4random_uniform(10) < 10);
	CHECK(arc4random_uniform(1) == 0);
#endif
	/* No question: refused or answered without one. */
	CHECK(getentropy(bytes, 257) == -1 && errno == EIO);
	CHECK(timespec_get(&utc, 0) == 0);

	CHECK(now.tv_sec + now.tv_nsec > 0 && step.tv_nsec > 0 && zone.tz_minuteswest == 0);
	CHECK(day.tv_sec > 1500000000 && labs(day.tv_sec - seconds) <= 2);
	CHECK(labs(utc.tv_sec - seconds) <= 2);
	return 0;
}
