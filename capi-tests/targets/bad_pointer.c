/* # expect: verdict=pass
 *
 * Hands the kernel pointers that lead nowhere and reports the errors of read on a
 * connection with a message and of write: both EFAULT, 14. Before that it reports
 * zeros. The message is not lost: it is answered afterwards.
 */
#include "listener.h"
#include "report.h"

#include <errno.h>

/* Volatile, so that no compiler sees what it warns of. */
static void *volatile nowhere = (void *)16;

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    unsigned char errors[2] = { 0 };
    char text[16];
    report(errors, sizeof errors);
    int conn = next_connection(listener);
    if (read(conn, nowhere, sizeof text) < 0)
        errors[0] = (unsigned char)errno;
    if (write(conn, nowhere, sizeof text) < 0)
        errors[1] = (unsigned char)errno;
    report(errors, sizeof errors);
    ssize_t n = read(conn, text, sizeof text);
    if (n <= 0 || write(conn, text, (size_t)n) != n)
        return 9;
    next_connection(listener);
    return 0;
}
