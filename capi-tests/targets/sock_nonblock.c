/* # expect: verdict=error word=SOCK_NONBLOCK
 *
 * Asks for a non-blocking socket when it makes it.
 */
#define _GNU_SOURCE
#include <sys/socket.h>

int main(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    return fd < 0 ? 9 : 0;
}
