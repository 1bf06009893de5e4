/* # expect: verdict=pass
 *
 * "c" closes every descriptor that the program does not own, "o" opens a socket that is never used:
 * the number that it gets says what is open.
 */
#include "../audit/letters.h"

static int last;

static const char *obey(char letter)
{
    for (int fd = 6; letter == 'c' && fd < 1024; fd++)
        close(fd);
    if (letter == 'o')
        last = socket(AF_INET, SOCK_STREAM, 0);
    return "ok";
}

static void tell(void)
{
    report(&last, sizeof last);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
