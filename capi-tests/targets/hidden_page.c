/* # expect: verdict=violated property=signal
 *
 * Keeps the first message in a page that it makes read-only while it waits, and
 * aborts when the messages were 2, 1, 3: in that order and in no other.
 * Needs state = "raw" and one client that sends "1", "2" and "3" in any order.
 */
#include "listener.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
    static char text;
    int listener = listener_on(own_port(argc, argv)), count = 0;
    char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 9;
    int conn = next_connection(listener);
    while (read(conn, &text, 1) > 0) {
        if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) < 0)
            return 9;
        if (count++ == 0)
            page[0] = text;
        if (count == 3 && page[0] == '2' && text == '3')
            abort();
        text = 0;
        if (mprotect(page, PAGE, PROT_READ) < 0)
            return 9;
    }
    return 0;
}
