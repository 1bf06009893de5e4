/* Frames of many shapes, each of which waits for a byte of the input and then uses what it had
 * before. Prints one line for each; with WAITS words of input more, the same again. */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct wide {
    long words[9];
};

static int wait_byte(void)
{
    unsigned char byte = 0;
    return read(0, &byte, 1) == 1 ? byte : -1;
}

/* Its callers may know which registers it leaves alone. */
static __attribute__((noinline)) long own_call(char *byte)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_read), "D"(0L), "S"(byte), "d"(1L)
                     : "rcx", "r11", "memory");
    return result;
}

static __attribute__((noinline)) long known_callee(long a, long b, double x)
{
    char byte = 0;
    long r = own_call(&byte);
    return a * 3 + b * 5 + (long)(x * 8) + r + byte;
}

static __attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g,
                                           long h, struct wide w)
{
    long got = wait_byte();
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + w.words[got & 7] + w.words[8];
}

static __attribute__((noinline)) struct wide make(int seed)
{
    struct wide w;
    for (int i = 0; i < 9; i++) w.words[i] = seed * (i + 1) + (i == 4 ? wait_byte() : 0);
    return w;
}

/* The address of the end of the buffer is all that is taken of it. */
static __attribute__((noinline)) char *digits(char *end, unsigned long value)
{
    *--end = 0;
    do *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

static __attribute__((noinline)) size_t from_the_end(unsigned long value)
{
    char buffer[24];
    char *start = digits(buffer + sizeof buffer, value);
    int got = wait_byte();
    return strlen(start) * 1000 + (size_t)(start[0] + got);
}

static __attribute__((noinline)) long variable(int count)
{
    int *room = alloca((size_t)count * sizeof *room);
    for (int i = 0; i < count; i++) room[i] = i * i + wait_byte();
    long sum = 0;
    for (int i = count; i-- > 0;) sum = sum * 3 + room[i];
    return sum;
}

static __attribute__((noinline)) long any(int count, ...)
{
    va_list all;
    long sum = wait_byte();
    va_start(all, count);
    for (int i = 0; i < count; i++) sum = sum * 7 + (i % 2 ? (long)va_arg(all, double) : va_arg(all, long));
    va_end(all);
    return sum;
}

static jmp_buf back;

static __attribute__((noinline)) void leap(int how)
{
    if (wait_byte() >= 0) longjmp(back, how);
}

static __attribute__((noinline)) long landed(long a, long b)
{
    volatile long kept = a;
    int how = setjmp(back);
    if (how < 3) leap(how + 1);
    return kept * 10 + how + b;
}

static __attribute__((noinline)) double floats(double a, double b, long double c)
{
    double sum = a * b;
    for (int i = 0; i < 3; i++) {
        sum += wait_byte() * a;
        c += sum;
    }
    return sum + b + (double)c;
}

static __attribute__((noinline)) long choose(int which, long a, long b, long c)
{
    long x = a * b, y = b + c;
    switch (which + 0 * wait_byte()) {
    case 0: return x - y;
    case 1: return x + wait_byte();
    case 2: return y * (a + wait_byte());
    case 3: x ^= y; break;
    case 4: y += x; break;
    case 5: return a - b;
    case 6: x = wait_byte() + y; break;
    default: return c;
    }
    return x * 2 + y;
}

static __attribute__((noinline)) long deep(int level, long a)
{
    long here[4] = {a, a + 1, a + 2, level};
    if (level == 0) return wait_byte();
    long below = deep(level - 1, a * 3 + here[level & 3]);
    return below + here[below & 3] + here[3];
}

static int by_wait(const void *a, const void *b)
{
    int got = wait_byte();
    return (*(const int *)a - *(const int *)b) * (got < 0 ? 1 : 1 + got);
}

static __attribute__((noinline)) long sorted(int seed)
{
    int all[17];
    for (int i = 0; i < 17; i++) all[i] = (i * 7919 + seed * 31) % 101;
    qsort(all, 17, sizeof all[0], by_wait);
    long sum = 0;
    for (int i = 0; i < 17; i++) sum = sum * 5 + all[i];
    return sum;
}

int main(void)
{
    for (int round = 1; round <= 2; round++) {
        struct wide w = make(round);
        printf("known %ld\n", known_callee(round, 9, 1.25 * round));
        printf("many %ld\n", many(1, 2, 3, 4, 5, 6, 7, round, w));
        printf("end %zu\n", from_the_end(1234567UL * (unsigned)round));
        printf("variable %ld\n", variable(5 + round));
        printf("any %ld\n", any(6, 1L, 2.0, 3L, 4.0, 5L, 6.0 * round));
        printf("landed %ld\n", landed(round, 77));
        printf("floats %.3f\n", floats(1.5, round, 2.25L));
        for (int i = 0; i < 8; i++) printf("choose %ld\n", choose(i, round, 5, 11));
        printf("deep %ld\n", deep(6, round));
        printf("sorted %ld\n", sorted(round));
        fflush(stdout);
    }
    return 0;
}
