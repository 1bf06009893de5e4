/* # expect: verdict=pass
 *
 * Reads with readv into two bytes and the rest, answers both parts with writev, then
 * reads with recv and answers with send, in turn.
 */
#include "listener.h"

#include <sys/uio.h>

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;) {
        int conn = next_connection(listener);
        char head[2], rest[16];
        for (;;) {
            struct iovec parts[] = { { head, sizeof head }, { rest, sizeof rest } };
            ssize_t n = readv(conn, parts, 2);
            if (n <= 0)
                break;
            parts[0].iov_len = n < 2 ? (size_t)n : 2;
            parts[1].iov_len = (size_t)n - parts[0].iov_len;
            if (writev(conn, parts, 2) != n)
                break;
            n = recv(conn, rest, sizeof rest, 0);
            if (n <= 0 || send(conn, rest, (size_t)n, 0) != n)
                break;
        }
        close(conn);
    }
}
