/*
 * expect: exit 0
 *
 * An arena that is full answers NULL and ENOMEM, says so once per request, and serves again after
 * the objects are freed; what is no size at all is refused without a word.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "heap_walk.h"

#define REFUSED(call)                    \
	do {                             \
		errno = 0;               \
		CHECK((call) == NULL);   \
		CHECK(errno == ENOMEM);  \
	} while (0)

/* The compiler knows that these sizes cannot be had; it must not know that they are asked for. */
static volatile size_t beyond = SIZE_MAX / 2 + 1;
static volatile size_t many = SIZE_MAX / 4;
static char on_no_heap;

/* A list through the objects themselves: there is no room for one beside them. */
static size_t fill(size_t size, void ***last)
{
	size_t count = 0;
	void **made;
	errno = 0;
	while ((made = malloc(size)) != NULL) {
		*made = *last;
		*last = made;
		count++;
	}
	CHECK(errno == ENOMEM);
	return count;
}

static void empty(void **last)
{
	while (last != NULL) {
		void **before = *last;
		free(last);
		last = before;
	}
}

int main(void)
{
	/* Five requests that are no sizes: silent. */
	REFUSED(malloc(beyond));
	REFUSED(calloc(many, 8));
	REFUSED(reallocarray(NULL, many, 8));
	REFUSED(aligned_alloc(64, beyond));
	REFUSED(pvalloc(beyond));

	void *wrong = &on_no_heap;
	CHECK(posix_memalign(&wrong, 24, 8) == EINVAL && wrong == &on_no_heap);
	errno = 0;
	CHECK(aligned_alloc(24, 8) == NULL && errno == EINVAL);

	/* Three that are: said. */
	REFUSED(malloc(CMC_ARENA_SIZE));
	errno = 7;
	CHECK(posix_memalign(&wrong, 64, CMC_ARENA_SIZE) == ENOMEM);
	CHECK(errno == 7 && wrong == &on_no_heap);
	char *kept = strcpy(malloc(100), "kept");
	REFUSED(realloc(kept, CMC_ARENA_SIZE));
	CHECK(strcmp(kept, "kept") == 0 && malloc_usable_size(kept) == 100);

	void **last = NULL;
	size_t count = fill((1 << 20) - 16, &last);
	CHECK(count > 240 && count < 256);
	heap_walk();
	empty(last);
	/* What was given back piece by piece is one piece again. */
	void *large = malloc(100 << 20);
	CHECK(large != NULL);
	free(large);
	heap_walk();

	last = NULL;
	count = fill(16, &last);
	CHECK(count > CMC_ARENA_SIZE / 48);
	REFUSED(malloc(3000));
	empty(last);
	last = NULL;
	CHECK(fill(16, &last) == count);
	empty(last);
	free(kept);
	heap_walk();
	return 0;
}
