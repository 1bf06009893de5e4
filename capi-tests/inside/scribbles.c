/*
 * At "x" it changes the byte of the log at the offset that it is given.
 */
#include "../audit/letters.h"

static int count;
static long offset;

static const char *obey(char letter)
{
	count = count * 2 + (letter == 'a');
	if (write(1, "a", 1) != 1)
		exit(9);
	if (letter == 'x')
		*(volatile unsigned char *)(LOG_BASE + offset) ^= 1;
	return "ok";
}

static void tell(void)
{
	report(&count, sizeof count);
}

int main(int argc, char **argv)
{
	offset = argc > 2 ? atol(argv[2]) : 0;
	serve_letters(argc, argv);
}
