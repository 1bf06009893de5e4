/*
 * expect: exit 0
 *
 * Takes and gives back objects of every class and of many pages in a fixed order and prints a line
 * for each, `CLASS-OR-PAGES ADDRESS WAS`: WAS is the number of the object that had this address
 * before, or -1. With another placement the addresses must be others and the rest the same.
 */
#include <string.h>

#include "heap_walk.h"

enum { MOST = 4096 };

static uintptr_t given[MOST];
static int count;

static void *make(size_t size, int zero)
{
	unsigned char *at = zero ? calloc(1, size) : malloc(size);
	CHECK(at != NULL);
	for (size_t i = 0; i < size; i++)
		CHECK(at[i] == (zero ? 0 : CMC_FILL_NEW));
	int was = -1;
	for (int i = 0; i < count; i++)
		if (given[i] == (uintptr_t)at)
			was = i;
	printf("%zu %#lx %d\n", size, (unsigned long)at, size > CMC_SMALL_MAX ? 0 : was);
	CHECK(count < MOST);
	given[count++] = (uintptr_t)at;
	memset(at, (int)size, size);
	return at;
}

/* More than one slab, of which some slots come back in an order of their own. */
static void use_class(size_t size)
{
	enum { OBJECTS = 150 };
	char *object[OBJECTS];
	for (int i = 0; i < OBJECTS; i++)
		object[i] = make(size, i % 3 == 0);
	for (int i = 0; i < OBJECTS; i += 7)
		free(object[i]);
	for (int i = 0; i < OBJECTS; i += 14)
		object[i] = make(size, i % 4 == 0);
}

int main(void)
{
	static char buffer[1 << 18];
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	for (size_t size = 16; size <= CMC_SMALL_MAX; size = size < 128 ? size + 16 : size * 5 / 4)
		use_class(size);
	char *large[24];
	for (int i = 0; i < 24; i++)
		large[i] = make(3000 + 4500 * (size_t)(i % 7), i % 2);
	heap_walk();
	for (int i = 0; i < 24; i += 2)
		free(large[i]);
	large[0] = realloc(large[1], 40000);
	CHECK(large[0] != NULL && large[0][0] == (char)7500);
	heap_walk();
	return 0;
}
