/*
 * The kernel, called without libc: nothing here allocates, touches errno, or can be answered by the
 * vDSO. Each call answers what the kernel does: a value, or -errno.
 */
#ifndef CMC_RAW_H
#define CMC_RAW_H

#if !defined(__x86_64__) || defined(__ILP32__)
#error "cmc-preload knows the system calls of x86-64 (LP64) only"
#endif

static inline long cmc_raw6(long number, long a, long b, long c, long d, long e, long f)
{
	long answer;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return answer;
}

/* Arguments that a call does not have are zero, so that a recorded call says the same every time. */
static inline long cmc_raw3(long number, long a, long b, long c)
{
	return cmc_raw6(number, a, b, c, 0, 0, 0);
}

#define CMC_EXPORT __attribute__((visibility("default")))

#endif
