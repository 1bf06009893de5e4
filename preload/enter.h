/*
 * How a call of the program enters: by a function that answers it inside of the process where the
 * checker has said so, and else makes the system call. See enter.c.
 */
#ifndef CMC_ENTER_H
#define CMC_ENTER_H

/* The call `number` with up to three arguments: what the kernel answers, a value or -errno. */
long cmc_enter3(long a, long b, long c, long number);

#endif
