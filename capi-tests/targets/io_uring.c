/* # expect: verdict=error word=io_uring_setup
 *
 * Sets up a ring through which calls would pass unseen.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char params[256] = { 0 };
    return syscall(SYS_io_uring_setup, 4, params) < 0 ? 9 : 0;
}
