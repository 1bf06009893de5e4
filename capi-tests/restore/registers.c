/* # expect: verdict=pass
 *
 * Letters change what only registers hold: how SSE rounds, a number that stays in a vector register
 * over a wait, and the base of %gs. No function is called between what sets a register and what
 * reads it.
 */
#include "../targets/listener.h"

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <xmmintrin.h>

static inline long call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

int main(int argc, char **argv)
{
    static const double three = 3.0;
    unsigned char sum = 0;
    int conn = next_connection(listener_on(own_port(argc, argv)));
    __asm__ volatile("movsd %0, %%xmm9" : : "m"(three) : "xmm9");
    for (;;) {
        unsigned long base = 0;
        double now;
        char letter;
        call(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0);
        __asm__ volatile("movsd %%xmm9, %0" : "=m"(now));
        unsigned char record[] = { 4, sum, (unsigned char)(_mm_getcsr() >> 13), (unsigned char)base,
                                   (unsigned char)now };
        call(SYS_write, 3, (long)record, sizeof record);
        if (call(SYS_read, conn, (long)&letter, 1) != 1)
            return 0;
        sum = (unsigned char)(sum * 3 + letter);
        if (letter == 'r')
            _mm_setcsr(_mm_getcsr() ^ _MM_ROUND_UP);
        if (letter == 'g')
            call(SYS_arch_prctl, ARCH_SET_GS, sum, 0);
        if (letter == 'v')
            __asm__ volatile("addsd %%xmm9, %%xmm9" : : : "xmm9");
        call(SYS_write, conn, (long)"ok", 2);
    }
}
