/*
 * expect: exit 0
 * expect double: abort not the start of a live heap object
 * expect double-large: abort not the start of a live heap object
 * expect interior: abort not the start of a live heap object
 * expect foreign: abort not the start of a live heap object
 * expect never-given: abort not the start of a live heap object
 * expect realloc-freed: abort not the start of a live heap object
 * expect overrun: abort a byte behind this heap object was overwritten
 * expect overrun-by-16: abort a byte behind this heap object was overwritten
 * expect overrun-realloc: abort a byte behind this heap object was overwritten
 * expect overrun-large: abort a byte behind this heap object was overwritten
 * expect overrun-aligned: abort a byte behind this heap object was overwritten
 * expect overrun-empty: abort a byte behind this heap object was overwritten
 *
 * One misuse of the heap, by name. The address concerned is printed first. Without an argument: the
 * same calls used as they should be.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Through volatile, so that the compiler neither sees nor removes what is wrong here. */
static void *volatile at;
static char on_no_heap[64];

static void give(void *address, const char *by)
{
	char text[32];
	/* Without stdio: a buffer made here would change the heap under test. */
	int count = snprintf(text, sizeof text, "%#lx\n", (unsigned long)(uintptr_t)address);
	if (write(1, text, (size_t)count) != count)
		_exit(2);
	if (strcmp(by, "free") == 0)
		free(address);
	else
		at = realloc(address, 10);
}

static void put(size_t offset)
{
	((volatile char *)at)[offset] = 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	size_t size = strcmp(how, "overrun-large") == 0 || strcmp(how, "double-large") == 0 ? 100000
		      : strcmp(how, "overrun-empty") == 0				     ? 0
										     : 40;
	at = strcmp(how, "overrun-aligned") == 0 ? aligned_alloc(64, size) : malloc(size);
	for (size_t i = 0; i < size; i++)
		put(i);
	const char *by = strstr(how, "realloc") != NULL ? "realloc" : "free";
	if (strncmp(how, "double", 6) == 0 || strcmp(how, "realloc-freed") == 0)
		free(at);
	else if (strcmp(how, "interior") == 0)
		at = (char *)at + 16;
	else if (strcmp(how, "foreign") == 0)
		at = on_no_heap;
	else if (strcmp(how, "never-given") == 0)
		at = (char *)at + (64 << 20);
	else if (strcmp(how, "overrun-by-16") == 0)
		put(size + 15);
	else if (strncmp(how, "overrun", 7) == 0)
		put(size);
	give(at, by);
	return 0;
}
