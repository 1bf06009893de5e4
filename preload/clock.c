/*
 * The clock, always asked of the kernel and never of the vDSO, which no filter sees: a reading is
 * then an answer of the checker. Each function makes the one system call of its own name, so that a
 * recorded call is the call the program wrote. clock_gettime itself is in enter.c.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "enter.h"
#include "raw.h"

static int answer_or_errno(long answer)
{
	if (answer < 0) {
		errno = (int)-answer;
		return -1;
	}
	return 0;
}

CMC_EXPORT int clock_getres(clockid_t clock, struct timespec *step)
{
	return answer_or_errno(cmc_raw3(SYS_clock_getres, clock, (long)step, 0));
}

CMC_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	/* As in glibc: the kernel's time zone is not the program's business, and reads as zero. */
	if (zone != NULL)
		memset(zone, 0, sizeof(struct timezone));
	return answer_or_errno(cmc_enter3((long)now, 0, 0, SYS_gettimeofday));
}

CMC_EXPORT time_t time(time_t *now)
{
	/* The kernel is not given the pointer: glibc's time() faults on a bad one, and so do we. */
	long answer = cmc_enter3(0, 0, 0, SYS_time);
	if (answer < 0 && answer > -4096) {
		errno = (int)-answer;
		return -1;
	}
	if (now != NULL)
		*now = answer;
	return answer;
}

CMC_EXPORT int timespec_get(struct timespec *now, int base)
{
	if (base != TIME_UTC)
		return 0;
	return cmc_enter3(CLOCK_REALTIME, (long)now, 0, SYS_clock_gettime) == 0 ? base : 0;
}
