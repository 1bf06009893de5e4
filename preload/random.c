/*
 * Random bytes, always asked of the kernel by getrandom(2): each is an answer of the checker. The
 * arc4random family keeps no pool and asks exactly once for each answer it gives, so that a
 * program's choice is one question and no loop waits for an answer of a particular kind.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw.h"

CMC_EXPORT ssize_t getrandom(void *bytes, size_t count, unsigned int flags)
{
	long answer = cmc_raw3(SYS_getrandom, (long)bytes, (long)count, flags);
	if (answer < 0) {
		errno = (int)-answer;
		return -1;
	}
	return answer;
}

/* Answers 0, or the errno of the call that failed; a short answer or a signal means asking on. */
static int fill(void *bytes, size_t count)
{
	uint8_t *at = bytes;
	while (count > 0) {
		long answer = cmc_raw3(SYS_getrandom, (long)at, (long)count, 0);
		if (answer == -EINTR)
			continue;
		if (answer <= 0)
			return answer == 0 ? EIO : (int)-answer;
		at += answer;
		count -= (size_t)answer;
	}
	return 0;
}

CMC_EXPORT int getentropy(void *bytes, size_t count)
{
	int why = count > 256 ? EIO : fill(bytes, count);
	if (why != 0) {
		errno = why;
		return -1;
	}
	return 0;
}

#if __GLIBC_PREREQ(2, 36)
CMC_EXPORT void arc4random_buf(void *bytes, size_t count)
{
	/* The interface has no way to fail; as in glibc, no randomness ends the program. */
	if (fill(bytes, count) != 0)
		abort();
}

CMC_EXPORT uint32_t arc4random(void)
{
	uint32_t word;
	arc4random_buf(&word, sizeof word);
	return word;
}

/*
 * The remainder of 64 bits instead of rejection: the bias is below 2^-32, and a checker that
 * answers the same bytes for ever cannot hold the program in a loop.
 */
CMC_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
	uint64_t word;
	if (bound < 2)
		return 0;
	arc4random_buf(&word, sizeof word);
	return (uint32_t)(word % bound);
}
#endif
