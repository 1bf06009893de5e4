/* build: gcc -O2 -g
 * send: + ? .
 * reply: 0
 * reply: 1
 *
 * What lies elsewhere: shared memory of its own, whose file has no end; a page of
 * the heap that is sealed; the direction flag; the mask of new files.
 */
#define _GNU_SOURCE
#include "../memory/one_byte.h"

#include <sys/mman.h>
#include <sys/stat.h>

static char *shared, *sealed;

static int may_write(int rights)
{
    return mprotect(sealed, 4096, rights);
}

static __attribute__((noinline)) unsigned long flags(void)
{
    unsigned long word;
    __asm__ volatile("pushf; pop %0" : "=r"(word));
    return word >> 10 & 1;
}

static __attribute__((noinline)) void set(void)
{
    shared[9] = 1;
    may_write(PROT_READ | PROT_WRITE);
    sealed[9] = 1;
    may_write(PROT_READ);
    umask(0);
    __asm__ volatile("std");
}

static __attribute__((noinline)) char state(void)
{
    mode_t mask = umask(022);
    int bits = shared[9] + sealed[9] + (mask == 0) + (int)flags();
    umask(mask);
    return bits == 0 ? '0' : bits == 4 ? '1' : 'B';
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sealed = aligned_alloc(4096, 8192);
    if (shared == MAP_FAILED || sealed == NULL)
        return 9;
    sealed[9] = 0;
    may_write(PROT_READ);
    for (;;) {
        char request = next_request(conn);
        if (request == '\0')
            return 0;
        if (request == '+')
            set();
        answer(conn, request == '?' ? state() : '.');
    }
}
