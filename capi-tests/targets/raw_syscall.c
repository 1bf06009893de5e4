/* # expect: verdict=error word=bpf
 *
 * Makes a call that is not modelled, by its number and past the C library.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    return syscall(SYS_bpf, 0, NULL, 0) < 0 ? 9 : 0;
}
