/* # expect: verdict=pass
 *
 * Sets, asks for and takes away an alternate stack for signal handlers, rightly and
 * wrongly. Reports a byte for each call, its errno or 0; at last 1 if what was kept
 * came back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>

#include "listener.h"
#include "report.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static char stack[65536];
static unsigned char ends[9];

static unsigned char end_of(int result)
{
    return (unsigned char)(result == 0 ? 0 : errno);
}

static int is(const stack_t *found, void *start, unsigned flags, size_t size)
{
    return found->ss_sp == start && (unsigned)found->ss_flags == flags && found->ss_size == size;
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    stack_t whole = { .ss_sp = stack, .ss_size = sizeof stack };
    stack_t once = { .ss_sp = stack + 16, .ss_size = 2048, .ss_flags = (int)SS_AUTODISARM };
    stack_t small = { .ss_sp = stack, .ss_size = 2047 };
    stack_t odd = { .ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 4 };
    stack_t none = { .ss_sp = stack, .ss_size = 7, .ss_flags = SS_DISABLE };
    stack_t found[5];

    ends[0] = end_of(sigaltstack(&whole, &found[0]));
    ends[1] = end_of(sigaltstack(&small, NULL));
    ends[2] = end_of(sigaltstack(&odd, NULL));
    ends[3] = end_of(sigaltstack(NULL, &found[1]));
    ends[4] = end_of(sigaltstack(&once, &found[2]));
    ends[5] = end_of(sigaltstack(&none, &found[3]));
    ends[6] = end_of(sigaltstack(NULL, &found[4]));
    ends[7] = end_of(sigaltstack((stack_t *)8, NULL));
    ends[8] = is(&found[0], NULL, SS_DISABLE, 0) && is(&found[1], stack, 0, sizeof stack) &&
              is(&found[2], stack, 0, sizeof stack) &&
              is(&found[3], stack + 16, SS_AUTODISARM, 2048) && is(&found[4], NULL, SS_DISABLE, 0);
    report(ends, sizeof ends);
    next_connection(listener);
    return 0;
}
