/* # expect: verdict=pass
 *
 * Waits in a recursion that each letter takes 200 KiB further down, and goes on only because what
 * the frames above it hold is still there.
 */
#include "../targets/listener.h"
#include "../targets/report.h"

static int conn, sum;

static __attribute__((noinline)) int descend(int level)
{
    volatile char frame[200 << 10];
    char letter;
    unsigned char record[] = { (unsigned char)level, (unsigned char)sum };
    report(record, sizeof record);
    if (read(conn, &letter, 1) != 1)
        return 0;
    frame[level] = letter;
    sum += letter * (level + 1);
    write(conn, "ok", 2);
    int below = descend(level + 1);
    return below + frame[level];
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;) {
        unsigned char record[] = { 0xff, (unsigned char)sum };
        report(record, sizeof record);
        conn = next_connection(listener);
        sum = descend(0);
        close(conn);
    }
}
