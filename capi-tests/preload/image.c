/*
 * image FILE: uses the heap at random, then writes the arena to FILE, and prints what a reader must
 * find in it: `live ADDRESS SIZE` for each object, `free CLASS ADDRESS` for each slot in the order in
 * which its class gives it again.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_walk.h"

enum { OBJECTS = 900, STEPS = 30000 };

static uint64_t seed = 7;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static size_t draw_size(void)
{
	switch (draw(16)) {
	case 0:
		return draw(60000);
	case 1:
		return draw(4000);
	default:
		return draw(300);
	}
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	FILE *file = fopen(argv[1], "w");
	static char out[1 << 16], in_file[1 << 16];
	setvbuf(stdout, out, _IOFBF, sizeof out);
	setvbuf(file, in_file, _IOFBF, sizeof in_file);
	static char *object[OBJECTS];
	static size_t size[OBJECTS];
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = draw(OBJECTS);
		if (object[i] != NULL && draw(2)) {
			free(object[i]);
			object[i] = NULL;
			continue;
		}
		size[i] = 1 + draw_size();
		if (object[i] != NULL)
			object[i] = realloc(object[i], size[i]);
		else
			object[i] = draw(3) ? malloc(size[i]) :
				    draw(2) ? calloc(1, size[i]) : memalign(16u << draw(10), size[i]);
		memset(object[i], 0x5c, size[i]);
	}
	heap_walk();
	for (int i = 0; i < OBJECTS; i++)
		if (object[i] != NULL)
			printf("live %#lx %zu\n", (unsigned long)object[i], size[i]);
	for (size_t class = 0; class < CMC_CLASSES; class++)
		for (uint32_t slot = heap_header()->class_free[class]; slot != 0;) {
			const struct cmc_slab *slab =
				(const void *)heap_bytes(heap_page(slot / CMC_PAGE)->ref);
			printf("free %zu %#lx\n", class, (unsigned long)(CMC_ARENA_BASE + slot));
			slot = slab->slot[(slot - slab->start) / slab->stride].size_or_next;
		}
	CHECK(fwrite((void *)CMC_ARENA_BASE, heap_header()->used, 1, file) == 1);
	CHECK(fflush(file) == 0);
	return 0;
}
