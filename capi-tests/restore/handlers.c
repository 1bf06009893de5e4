/* # expect: verdict=violated property=signal
 *
 * "h" handles faults, "d" takes them as they come, "b" blocks and "u" unblocks a signal, "f" faults if
 * that is handled and jumps out of the handler. The kernel keeps all of it, and keeps the fault from the
 * program from then on, so that a second one kills.
 */
#include "../audit/letters.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static int faults, handled;
static int *volatile nowhere = (int *)8;

static void on_fault(int number)
{
    (void)number;
    faults++;
    siglongjmp(back, 1);
}

static const char *obey(char letter)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    switch (letter) {
    case 'h':
    case 'd':
        handled = letter == 'h';
        signal(SIGSEGV, handled ? on_fault : SIG_DFL);
        break;
    case 'b':
    case 'u':
        sigprocmask(letter == 'b' ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
        break;
    case 'f':
        if (handled && sigsetjmp(back, 0) == 0)
            *nowhere = 1;
        break;
    }
    return "ok";
}

static void tell(void)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &action);
    unsigned char record[] = { (unsigned char)faults, sigismember(&set, SIGUSR1) == 1,
                               sigismember(&set, SIGSEGV) == 1, action.sa_handler != SIG_DFL };
    report(record, sizeof record);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
