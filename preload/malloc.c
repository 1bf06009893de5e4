/*
 * The heap functions of libc over the arena. They answer as glibc's do, where C and POSIX leave a
 * choice, except that the usable size is the size asked for. What is wrong with the heap is told to
 * the checker first; if there is none, a misused heap ends the program. No lock is held during any
 * system call.
 */
#define _GNU_SOURCE /* reallocarray */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "arena.h"
#include "raw.h"

/*
 * The allocator leaves words below this frame that depend on where objects lie, as the numbers of
 * pages do: a later frame of the program would carry them, unread, in bytes that it does not write.
 */
__attribute__((noinline)) static void clear_dead_stack(void)
{
	enum { ALLOCATOR_STACK = 1024 };
	unsigned char dead[ALLOCATOR_STACK];

	memset(dead, 0, sizeof dead);
	__asm__ volatile("" : : "r"(dead) : "memory");
}

static bool is_power_of_two(size_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

_Noreturn void cmc_die(const char *what, uintptr_t address)
{
	/* Built by hand: printf may allocate. */
	char text[160] = "cmc-preload: 0x";
	size_t at = strlen(text);
	for (int shift = 60; shift >= 0; shift -= 4)
		text[at++] = "0123456789abcdef"[(address >> shift) & 15];
	text[at++] = ':';
	text[at++] = ' ';
	for (; *what != '\0' && at < sizeof text - 1; what++)
		text[at++] = *what;
	text[at++] = '\n';
	cmc_raw3(SYS_write, 2, (long)text, (long)at);
	abort();
}

/* Leaves the arena. */
static _Noreturn void misused(const void *address, uint64_t how)
{
	cmc_arena_leave();
	cmc_raw3((long)CMC_CALL_HEAP_MISUSE, (long)address, (long)how, 0);
	cmc_die(how == CMC_MISUSE_OVERRUN ? "a byte behind this heap object was overwritten"
					  : "not the start of a live heap object",
		(uintptr_t)address);
}

/* The live object at an address that the program gives back or resizes. */
static struct cmc_object checked(const void *address)
{
	struct cmc_object object;
	if (!cmc_arena_find(address, &object))
		misused(address, CMC_MISUSE_NOT_LIVE);
	if (!cmc_arena_gap_is_whole(&object))
		misused(address, CMC_MISUSE_OVERRUN);
	return object;
}

static void *full(size_t size)
{
	cmc_raw3((long)CMC_CALL_ARENA_FULL, (long)size, 0, 0);
	errno = ENOMEM;
	return NULL;
}

/* A size beyond PTRDIFF_MAX is no size: that is the program's error and not the arena's limit. */
static bool is_size(size_t size)
{
	if (size <= PTRDIFF_MAX)
		return true;
	errno = ENOMEM;
	return false;
}

static void *take(size_t size, size_t align, bool zero)
{
	if (!is_size(size))
		return NULL;
	cmc_arena_enter();
	void *at = cmc_arena_take(size, align, zero);
	cmc_arena_leave();
	clear_dead_stack();
	return at != NULL ? at : full(size);
}

CMC_EXPORT void *malloc(size_t size)
{
	return take(size, CMC_ALIGN, false);
}

CMC_EXPORT void *calloc(size_t count, size_t each)
{
	size_t size;
	if (__builtin_mul_overflow(count, each, &size)) {
		errno = ENOMEM;
		return NULL;
	}
	return take(size, CMC_ALIGN, true);
}

CMC_EXPORT void free(void *address)
{
	if (address == NULL)
		return;
	cmc_arena_enter();
	struct cmc_object object = checked(address);
	cmc_arena_give(&object);
	cmc_arena_leave();
	clear_dead_stack();
}

static __attribute__((noinline)) void *resize(void *address, size_t size)
{
	if (address == NULL)
		return malloc(size);
	if (size == 0) {
		free(address);
		return NULL;
	}
	if (!is_size(size))
		return NULL;
	cmc_arena_enter();
	struct cmc_object old = checked(address);
	if (cmc_arena_resize(&old, size)) {
		cmc_arena_leave();
		return address;
	}
	void *at = cmc_arena_take(size, CMC_ALIGN, false);
	if (at != NULL) {
		memcpy(at, old.at, old.size < size ? old.size : size);
		cmc_arena_give(&old);
	}
	cmc_arena_leave();
	return at != NULL ? at : full(size);
}

CMC_EXPORT void *realloc(void *address, size_t size)
{
	void *at = resize(address, size);
	clear_dead_stack();
	return at;
}

CMC_EXPORT void *reallocarray(void *address, size_t count, size_t each)
{
	size_t size;
	if (__builtin_mul_overflow(count, each, &size)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(address, size);
}

CMC_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	if (!is_power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
	return take(size, align, false);
}

CMC_EXPORT int posix_memalign(void **address, size_t align, size_t size)
{
	if (!is_power_of_two(align) || align % sizeof(void *) != 0)
		return EINVAL;
	/* POSIX answers by value; errno stays as it was. */
	int before = errno;
	void *at = take(size, align, false);
	errno = before;
	if (at == NULL)
		return ENOMEM;
	*address = at;
	return 0;
}

CMC_EXPORT void *memalign(size_t align, size_t size)
{
	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	size_t power = CMC_ALIGN;
	while (power < align)
		power *= 2;
	return take(size, power, false);
}

CMC_EXPORT void *valloc(size_t size)
{
	return take(size, CMC_PAGE, false);
}

CMC_EXPORT void *pvalloc(size_t size)
{
	if (!is_size(size))
		return NULL;
	return take((size + CMC_PAGE - 1) & ~(CMC_PAGE - 1), CMC_PAGE, false);
}

CMC_EXPORT size_t malloc_usable_size(void *address)
{
	if (address == NULL)
		return 0;
	cmc_arena_enter();
	struct cmc_object object;
	if (!cmc_arena_find(address, &object))
		misused(address, CMC_MISUSE_NOT_LIVE);
	cmc_arena_leave();
	clear_dead_stack();
	return object.size;
}
