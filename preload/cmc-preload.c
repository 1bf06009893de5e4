/*
 * Start-up: map the arena and the log, and tell the checker that this library is there. Linked with
 * DF_1_INITFIRST, it runs before every other constructor, so that whatever another library asks on
 * its way up is asked of the checker. The answer says how the heap places what it gives. Without a
 * checker the greeting is an unknown system call that the kernel refuses; the program then runs as
 * it would, on this heap.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "arena.h"
#include "contract.h"
#include "log.h"
#include "raw.h"

/*
 * What the loader left below this frame holds cycle counts: a function of the program whose frame
 * comes to lie there would carry them, unread, in its own.
 */
__attribute__((noinline)) static void clear_dead_stack(void)
{
	enum { LOADER_STACK = 32768 };
	volatile unsigned char dead[LOADER_STACK];

	for (unsigned long i = 0; i < LOADER_STACK; i++)
		dead[i] = 0;
}

static long hello(void)
{
	return cmc_raw3((long)CMC_CALL_HELLO, (long)CMC_PROTOCOL, (long)CMC_ARENA_BASE,
			(long)CMC_ARENA_SIZE);
}

/*
 * Make a copy of this process. It must die with the checker, which is its parent too; where that
 * cannot be arranged, or the checker is gone, it dies at once: nothing may run unwatched.
 */
static inline __attribute__((always_inline)) void fork_copy(void)
{
	long copy = cmc_raw3(SYS_clone, (long)CMC_FORK_FLAGS, 0, 0);

	if (copy != 0)
		return;
	if (cmc_raw3(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0) != 0)
		__builtin_trap();
	/* The checker has put it there. */
	cmc_log_map_anew();
}

/* 101 is the first priority that is not reserved for the compiler and libc. */
__attribute__((constructor(101))) static void say_hello(void)
{
	long answer;
	int forked = 0;

	clear_dead_stack();
	cmc_arena_map();
	cmc_log_map();
	while ((answer = hello()) == (long)CMC_HELLO_FORK) {
		forked = 1;
		fork_copy();
	}
	if (forked && answer != 0 && answer != (long)CMC_HELLO_PERMUTED)
		__builtin_trap();
	cmc_arena_place(answer == (long)CMC_HELLO_PERMUTED);
	clear_dead_stack();
}
