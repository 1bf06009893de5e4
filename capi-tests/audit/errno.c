/* # expect: verdict=error word=memories
 *
 * Behaves by a stale errno: the letters a and b each fail at something, in two
 * ways, and t is answered by the last failure. The report says only which
 * letters came.
 */
#include "letters.h"

#include <errno.h>

static unsigned char seen[2];

static const char *obey(char letter)
{
    if (letter == 't')
        return errno == ERANGE ? "out of range" : errno == EBADF ? "no descriptor" : "nothing";
    seen[letter - 'a'] = 1;
    if (letter == 'a')
        return strtol("99999999999999999999", NULL, 10) > 0 ? "noted" : "odd";
    return close(99) < 0 ? "noted" : "odd";
}

static void tell(void)
{
    report(seen, sizeof seen);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
