/* # expect: verdict=error word=getppid
 *
 * Asks who its parent is, which is the checker and no part of the model.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    return syscall(SYS_getppid) > 0 ? 0 : 9;
}
