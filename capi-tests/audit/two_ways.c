/* # expect: verdict=pass
 *
 * Reports one logical state, the set of letters that came, in two encodings: in
 * the order in which they came. That makes more local states than there are
 * sets, and nothing else: what is told apart needs no reason.
 */
#include "letters.h"

static char came[2];
static unsigned char count;

static const char *obey(char letter)
{
    if (letter != 't' && count < sizeof came)
        came[count++] = letter;
    return letter == 't' ? "counted" : "noted";
}

static void tell(void)
{
    report(came, sizeof came);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
