/*
 * older FILE [permuted]: the allocator itself, linked in: objects from before the choice of a
 * placement stay where they are, and no place of theirs is given again. Writes the arena to FILE and
 * prints `live ADDRESS SIZE` or `gone ADDRESS` for each of them.
 */
#include <string.h>

#include "heap_walk.h"

enum { OLDER = 60, LATER = 3000 };

_Noreturn void cmc_die(const char *what, uintptr_t address)
{
	fprintf(stderr, "%s: %#lx\n", what, (unsigned long)address);
	_Exit(1);
}

static unsigned char *take(size_t size)
{
	cmc_arena_enter();
	unsigned char *at = cmc_arena_take(size, 16, false);
	cmc_arena_leave();
	CHECK(at != NULL);
	memset(at, 0x5c, size);
	return at;
}

static void give(unsigned char *at)
{
	struct cmc_object object;
	cmc_arena_enter();
	CHECK(cmc_arena_find(at, &object) && cmc_arena_gap_is_whole(&object));
	cmc_arena_give(&object);
	cmc_arena_leave();
}

static size_t size_of(size_t i)
{
	return i % 5 == 0 ? 3000 + i * 40 : 8 + i % 7 * 30;
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	static unsigned char *older[OLDER];
	for (size_t i = 0; i < OLDER; i++)
		older[i] = take(size_of(i));
	for (size_t i = 0; i < OLDER; i += 3)
		give(older[i]);
	size_t end = heap_header()->used;
	cmc_arena_place(argc > 2);
	CHECK(heap_header()->placed == end / CMC_PAGE);
	heap_walk();
	for (size_t i = 1; i < OLDER; i += 3)
		give(older[i]);
	heap_walk();
	static unsigned char *later[LATER];
	for (size_t i = 0; i < LATER; i++) {
		later[i] = take(size_of(i % OLDER));
		CHECK((uintptr_t)later[i] >= CMC_ARENA_BASE + end);
		if (i % 4 == 3)
			give(later[i - 2]);
	}
	heap_walk();
	for (size_t i = 0; i < OLDER; i++)
		if (i % 3 == 2)
			printf("live %#lx %zu\n", (unsigned long)(uintptr_t)older[i], size_of(i));
		else
			printf("gone %#lx\n", (unsigned long)(uintptr_t)older[i]);
	FILE *file = fopen(argv[1], "w");
	CHECK(file != NULL);
	CHECK(fwrite((void *)CMC_ARENA_BASE, heap_header()->used, 1, file) == 1);
	CHECK(fclose(file) == 0);
	return 0;
}
