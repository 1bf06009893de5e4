/*
 * Start-up: map the arena and tell the checker that this library is there. Linked with
 * DF_1_INITFIRST, it runs before every other constructor, so that whatever another library asks on
 * its way up is asked of the checker. Without a checker the greeting is an unknown system call that
 * the kernel refuses; the program then runs as it would, on this heap.
 */
#include "arena.h"
#include "contract.h"
#include "raw.h"

/* 101 is the first priority that is not reserved for the compiler and libc. */
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

__attribute__((constructor(101))) static void say_hello(void)
{
	clear_dead_stack();
	cmc_arena_map();
	cmc_raw3((long)CMC_CALL_HELLO, (long)CMC_PROTOCOL, (long)CMC_ARENA_BASE,
		 (long)CMC_ARENA_SIZE);
}
