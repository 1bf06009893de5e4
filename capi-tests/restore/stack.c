/* # expect: verdict=violated property=signal
 *
 * "a" and "b" are counted deep in the stack, further down than a fresh process reaches, where the
 * program then waits; "x" overwrites the stack up to where main began, and what returns through it
 * dies, but only once "a" came before.
 */
#include "../audit/letters.h"

static int count, spoilt;

static __attribute__((noinline)) int depth(int left, char letter)
{
    volatile char room[4096];
    room[sizeof room / 2] = letter;
    int below = left > 0 ? depth(left - 1, letter) : 0;
    return below + (room[sizeof room / 2] == letter);
}

static __attribute__((noinline)) void spoil(void)
{
    volatile char *here = __builtin_frame_address(0);
    for (int i = 0; i < 400; i++)
        here[i] = 0x41;
}

static const char *obey(char letter)
{
    if (letter == 'x' && count > 0)
        spoil();
    spoilt += letter == 'x';
    count += letter == 'a' ? depth(100, letter) : 0;
    return "ok";
}

static void tell(void)
{
    int record[] = { count, spoilt };
    report(record, sizeof record);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
