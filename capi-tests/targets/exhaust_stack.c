/* # expect: verdict=violated property=signal
 *
 * Recurses until the stack overflows: SIGSEGV.
 */
#include <limits.h>

/* The frame is used after the call, so that no compiler makes a loop of it. */
static int deeper(int depth)
{
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    if (depth == INT_MAX)
        return 0;
    return deeper(depth + 1) + frame[depth % 4096];
}

int main(void)
{
    return deeper(1) == 0 ? 0 : 9;
}
