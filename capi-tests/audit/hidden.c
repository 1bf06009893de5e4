/* # expect: verdict=error word=hidden_first
 *
 * Hides a variable: the report says which of the letters a and b came and how
 * many t did, not which letter came first. Both orders of a and b end in one
 * local state; the third t is answered by what the report leaves out.
 */
#include "letters.h"

static char hidden_first;
static unsigned char seen[3]; /* a, b, and how many t */

static const char *obey(char letter)
{
    if (hidden_first == 0 && letter != 't')
        hidden_first = letter;
    if (letter != 't') {
        seen[letter - 'a'] = 1;
        return "noted";
    }
    return ++seen[2] < 3 ? "counted" : hidden_first == 'a' ? "a was first" : "b was first";
}

static void tell(void)
{
    report(seen, sizeof seen);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
