/*
 * At "x" it does to the log what its argument says.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <sys/mman.h>

static int count;
static const char *how = "";

static const char *obey(char letter)
{
	void *log = (void *)LOG_BASE;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	count = count * 2 + (letter == 'a');
	if (letter != 'x')
		return "ok";
	if (strcmp(how, "munmap") == 0)
		munmap(log, 4096);
	else if (strcmp(how, "mprotect") == 0)
		mprotect(log, 4096, PROT_READ);
	else if (strcmp(how, "madvise") == 0)
		madvise((char *)log - 4096, 8192, MADV_DONTNEED);
	else if (mmap(log, 4096, PROT_READ, flags, -1, 0) == MAP_FAILED)
		exit(9);
	return "ok";
}

static void tell(void)
{
	report(&count, sizeof count);
}

int main(int argc, char **argv)
{
	how = argc > 2 ? argv[2] : "";
	serve_letters(argc, argv);
}
