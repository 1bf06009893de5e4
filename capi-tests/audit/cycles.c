/* # expect: verdict=error
 *
 * Reports the processor's cycle counter, which no two runs share.
 */
#include "letters.h"

#include <x86intrin.h>

static const char *obey(char letter)
{
    return letter == 'a' ? "1" : "0";
}

static void tell(void)
{
    unsigned long long cycles = __rdtsc();
    report((const unsigned char *)&cycles, sizeof cycles);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
