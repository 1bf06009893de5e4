/* # expect: verdict=error word=x32
 *
 * Calls getpid by its x32 number, which a filter on the plain number misses.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    return syscall(SYS_getpid | 0x40000000L) > 0 ? 0 : 9;
}
