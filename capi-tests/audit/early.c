/* # expect: verdict=pass
 *
 * Asks for a random byte and for the time while the loader runs, in the resolver of
 * an indirect function, before any constructor. What it was told belongs to one
 * boot; it reports it, and another boot is told something else.
 */
#include "letters.h"

#include <sys/syscall.h>

static unsigned char told[2];

static long ask(long number, void *where, long size)
{
    long answer;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(where), "S"(size), "d"(0L)
                     : "rcx", "r11", "memory");
    return answer;
}

static const char *one(void)
{
    return "1";
}

static const char *(*resolve(void))(void)
{
    ask(SYS_getrandom, told, 1);
    told[1] = (unsigned char)ask(SYS_time, NULL, 0);
    return one;
}

const char *indirect(void) __attribute__((ifunc("resolve")));

static const char *obey(char letter)
{
    return letter == 'a' ? indirect() : "0";
}

static void tell(void)
{
    report(told, sizeof told);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
