/*
 * At "x" it asks for the time, says it, answers, and dies before it waits again.
 */
#include "../audit/letters.h"

#include <time.h>

static int count;
static char *volatile nowhere = (char *)8;

static const char *obey(char letter)
{
	count = count * 2 + (letter == 'a');
	if (letter == 'x') {
		dprintf(2, "it is %ld", (long)time(NULL));
		if (write(1, "end", 3) == 3)
			*nowhere = 1;
	}
	return "ok";
}

static void tell(void)
{
	report(&count, sizeof count);
}

int main(int argc, char **argv)
{
	serve_letters(argc, argv);
}
