/*
 * Makes one call of each kind for every letter, and reports what it was told.
 */
#include "../audit/letters.h"

#include <time.h>

static long told[4];

static const char *obey(char letter)
{
	struct timespec now = { 0 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	clock_gettime(CLOCK_REALTIME, &now);
	told[0] = told[0] * 2 + (letter == 'a');
	told[1] = now.tv_sec;
	told[2] = fd;
	close(fd);
	told[3] += write(1, "out", 3);
	return "o";
}

static void tell(void)
{
	report(told, sizeof told);
}

int main(int argc, char **argv)
{
	serve_letters(argc, argv);
}
