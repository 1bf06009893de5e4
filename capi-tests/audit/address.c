/* # expect: verdict=error word=memories
 *
 * Behaves by addresses: each of the letters a and b has an object from malloc,
 * and t is answered by which object lies lower, which is the one that came
 * first. The report says only which objects there are.
 */
#include "letters.h"

static char *object[2];

static const char *obey(char letter)
{
    if (letter == 't')
        return object[0] < object[1] ? "a is below" : "b is below";
    char *new = malloc(32);
    if (new == NULL)
        exit(9);
    object[letter - 'a'] = new;
    return "noted";
}

static void tell(void)
{
    report((unsigned char[]){ object[0] != NULL, object[1] != NULL }, 2);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
