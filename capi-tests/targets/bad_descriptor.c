/* # expect: verdict=pass
 *
 * Reads, writes, accepts and closes descriptor 77, which is not open, and reads its
 * listener; reports the five errors: EBADF, 9, four times and ENOTCONN, 107.
 */
#include "listener.h"
#include "report.h"

#include <errno.h>

static unsigned char failure(ssize_t answer)
{
    return answer < 0 ? (unsigned char)errno : 0;
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char errors[5];
    char text[4] = { 0 };
    errors[0] = failure(read(77, text, sizeof text));
    errors[1] = failure(write(77, text, sizeof text));
    errors[2] = failure(accept(77, NULL, NULL));
    errors[3] = failure(close(77));
    errors[4] = failure(read(listener, text, sizeof text));
    report(errors, sizeof errors);
    next_connection(listener);
    return 0;
}
