/*
 * expect: exit 0
 * expect arena: exit 0
 * expect threads: exit 0
 *
 * A random but repeatable sequence of every heap function over many live objects. What any heap must
 * do is checked always: alignment, no overlap, contents kept, calloc zeroes. With the argument
 * `arena` also what ours does; the addresses are summed up and printed, for two runs to be compared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "heap_walk.h"

enum { OBJECTS = 400, STEPS = 40000 };

static int in_arena;
static uint64_t sum = 14695981039346656037u;
static uint64_t seed = 1;

static struct {
	unsigned char *at;
	size_t size;
	unsigned char mark;
} object[OBJECTS];

/* Not libc's: its state must be nothing but this word. */
static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static size_t draw_size(void)
{
	switch (draw(20)) {
	case 0:
		return draw(150000);
	case 1:
	case 2:
		return draw(9000);
	default:
		return draw(400);
	}
}

static int all(const unsigned char *bytes, size_t count, unsigned char value)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != value)
			return 0;
	return 1;
}

static void check_place(int i, size_t align)
{
	unsigned char *at = object[i].at;
	CHECK(at != NULL && (uintptr_t)at % align == 0);
	for (int other = 0; other < OBJECTS; other++)
		if (other != i && object[other].at != NULL)
			CHECK(at + object[i].size <= object[other].at ||
			      object[other].at + object[other].size <= at);
	sum = (sum ^ (uintptr_t)at) * 1099511628211u;
	if (!in_arena)
		return;
	size_t offset = (uintptr_t)at - CMC_ARENA_BASE;
	CHECK(offset < CMC_ARENA_SIZE && offset + object[i].size + CMC_GAP <= heap_header()->used);
	CHECK(malloc_usable_size(at) == object[i].size);
	for (int other = 0; other < OBJECTS; other++)
		if (other != i && object[other].at != NULL)
			CHECK(at + object[i].size + CMC_GAP <= object[other].at ||
			      object[other].at + object[other].size + CMC_GAP <= at);
}

static void own(int i)
{
	object[i].mark = (unsigned char)draw(256);
	memset(object[i].at, object[i].mark, object[i].size);
}

static void make(int i)
{
	static const size_t aligns[] = {8, 16, 32, 64, 256, 1024, 4096, 16384};
	size_t align = aligns[draw(8)];
	size_t size = object[i].size = draw_size();
	int zeroed = 0;
	void *at = NULL;
	switch (draw(8)) {
	case 0:
		at = calloc(size / 8, 8);
		object[i].size = size / 8 * 8;
		zeroed = 1;
		align = 16;
		break;
	case 1:
		CHECK(posix_memalign(&at, align, size) == 0);
		break;
	case 2:
		at = aligned_alloc(align, size);
		break;
	case 3:
		at = memalign(align, size);
		break;
	case 4:
		at = valloc(size);
		align = 4096;
		break;
	default:
		at = malloc(size);
		align = 16;
	}
	object[i].at = at;
	check_place(i, align);
	if (zeroed)
		CHECK(all(at, object[i].size, 0));
	else if (in_arena)
		CHECK(all(at, object[i].size, CMC_FILL_NEW));
	own(i);
}

static void resize(int i)
{
	size_t old_size = object[i].size;
	size_t size = 1 + draw_size();
	size_t kept = old_size < size ? old_size : size;
	object[i].at = realloc(object[i].at, size);
	object[i].size = size;
	check_place(i, 16);
	CHECK(all(object[i].at, kept, object[i].mark));
	if (in_arena)
		CHECK(all(object[i].at + kept, size - kept, CMC_FILL_NEW));
	own(i);
}

static void drop(int i)
{
	CHECK(all(object[i].at, object[i].size, object[i].mark));
	free(object[i].at);
	object[i].at = NULL;
}

/* The object given back last is the one of its class given next, whatever else was freed. */
static void check_reuse(void)
{
	for (size_t size = 0; size <= CMC_SMALL_MAX; size += 24) {
		uintptr_t at[3];
		void *made[3];
		for (int i = 0; i < 3; i++) {
			made[i] = malloc(size);
			at[i] = (uintptr_t)made[i];
		}
		CHECK(at[0] != at[1] && at[1] != at[2] && at[0] != at[2]);
		free(made[1]);
		free(made[0]);
		free(made[2]);
		for (int i = 0; i < 3; i++)
			made[i] = malloc(size);
		CHECK((uintptr_t)made[0] == at[2] && (uintptr_t)made[1] == at[0] &&
		      (uintptr_t)made[2] == at[1]);
		for (int i = 0; i < 3; i++)
			free(made[i]);
	}
}

/* realloc stays within a class and leaves it beyond, whatever surrounds the object. */
static void check_moves(void)
{
	char *at = malloc(50);
	uintptr_t before = (uintptr_t)at;
	at = realloc(at, 64);
	CHECK((uintptr_t)at == before && malloc_usable_size(at) == 64);
	at = realloc(at, 49);
	CHECK((uintptr_t)at == before && malloc_usable_size(at) == 49);
	at = realloc(at, 65);
	CHECK((uintptr_t)at != before);
	CHECK(realloc(at, 0) == NULL);
	at = realloc(NULL, 5000);
	before = (uintptr_t)at;
	at = realloc(at, 8192 - 16);
	CHECK((uintptr_t)at == before);
	at = realloc(at, 8192);
	CHECK((uintptr_t)at != before);
	free(at);
}

static void check_untouched(void)
{
	size_t used = heap_header()->used;
	static unsigned char there[CMC_ARENA_SIZE / 4096];
	CHECK(mincore((void *)(CMC_ARENA_BASE + used), CMC_ARENA_SIZE - used, there) == 0);
	for (size_t i = 0; i < (CMC_ARENA_SIZE - used) / CMC_PAGE; i++)
		CHECK((there[i] & 1) == 0);
}

static void *hammer(void *from)
{
	uintptr_t state = (uintptr_t)from;
	unsigned char *mine[32] = {0};
	for (int step = 0; step < 100000; step++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		int i = (int)(state >> 59);
		size_t size = 1 + (state >> 40) % 3000;
		if (mine[i] != NULL)
			CHECK(mine[i][0] == (unsigned char)(uintptr_t)from);
		free(mine[i]);
		mine[i] = malloc(size);
		memset(mine[i], (int)(uintptr_t)from, size);
	}
	for (int i = 0; i < 32; i++)
		free(mine[i]);
	return NULL;
}

static int threads(void)
{
	pthread_t thread[3];
	for (uintptr_t i = 0; i < 3; i++)
		CHECK(pthread_create(&thread[i], NULL, hammer, (void *)(i + 1)) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		return threads();
	in_arena = argc > 1;
	struct heap_count before = {0};
	if (in_arena) {
		before = heap_walk();
		check_reuse();
		check_moves();
	}
	uint64_t used = 0;
	for (int step = 0; step < STEPS; step++) {
		int i = (int)draw(OBJECTS);
		if (object[i].at == NULL)
			make(i);
		else if (draw(3) == 0)
			resize(i);
		else
			drop(i);
		if (!in_arena)
			continue;
		CHECK(heap_header()->used >= used);
		used = heap_header()->used;
		if (step % 1000 == 0)
			heap_walk();
	}
	for (int i = 0; i < OBJECTS; i++)
		if (object[i].at != NULL)
			drop(i);
	if (in_arena) {
		struct heap_count after = heap_walk();
		CHECK(after.live == before.live && after.live_bytes == before.live_bytes);
		check_untouched();
	}
	printf("%016llx %llu\n", (unsigned long long)sum, (unsigned long long)used);
	return 0;
}
