/* # expect: verdict=pass note=rt_sigreturn
 *
 * "f" faults and returns from the handler, to behind the instruction: from there on the kernel may
 * keep what the frame said.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <signal.h>
#include <ucontext.h>

static int faults, count;

static void on_fault(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)number, (void)info;
    faults++;
    /* movb $1, 8: eight bytes. */
    at->uc_mcontext.gregs[REG_RIP] += 8;
}

static const char *obey(char letter)
{
    count = count * 3 + (letter == 'a') + 2 * (letter == 'b');
    if (letter == 'f')
        __asm__ volatile(".byte 0xc6, 0x04, 0x25, 8, 0, 0, 0, 1" : : : "memory");
    return "ok";
}

static void tell(void)
{
    int record[] = { faults, count };
    report(record, sizeof record);
}

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, NULL);
    serve_letters(argc, argv);
}
