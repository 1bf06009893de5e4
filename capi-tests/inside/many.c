/*
 * At "x" it opens and closes sockets for ever.
 */
#include "../audit/letters.h"

static int count;

static const char *obey(char letter)
{
	count = count * 2 + (letter == 'a');
	while (letter == 'x')
		close(socket(AF_INET, SOCK_STREAM, 0));
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
