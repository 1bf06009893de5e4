/* # expect: verdict=violated property=signal
 *
 * Runs on a stack of its own, behind which, at lower addresses of the same mapping,
 * it keeps the first message. Aborts when the messages were 2, 1, 3: in that order
 * and in no other.
 * Needs state = "raw" and one client that sends "1", "2" and "3" in any order.
 */
#include "listener.h"

#include <ucontext.h>

static struct {
    volatile char first[16384];
    char stack[65536] __attribute__((aligned(16)));
} memory;
static int listener;

static void serve(void)
{
    volatile char *first = &memory.first[sizeof memory.first / 2];
    static char text;
    int conn = next_connection(listener), count = 0;
    while (read(conn, &text, 1) > 0) {
        if (count++ == 0)
            *first = text;
        if (count == 3 && *first == '2' && text == '3')
            abort();
        text = 0;
    }
    exit(0);
}

int main(int argc, char **argv)
{
    static ucontext_t here, there;
    listener = listener_on(own_port(argc, argv));
    getcontext(&there);
    there.uc_stack.ss_sp = memory.stack;
    there.uc_stack.ss_size = sizeof memory.stack;
    makecontext(&there, serve, 0);
    swapcontext(&here, &there);
    return 9;
}
