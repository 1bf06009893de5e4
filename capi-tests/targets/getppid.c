/* # expect: verdict=pass
 *
 * Asks who its parent is. That is the checker, which is no part of the model, so the
 * answer is process 1 always.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    return syscall(SYS_getppid) == 1 ? 0 : 9;
}
