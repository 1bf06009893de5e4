/* # expect: verdict=error word=MiB
 *
 * "m" maps as much memory as it is given, "a" and "b" are counted.
 */
#include "../audit/letters.h"

#include <sys/mman.h>

static int count;

static const char *obey(char letter)
{
    count = count * 3 + (letter == 'a') + 2 * (letter == 'b');
    while (letter == 'm' && count > 2) {
        char *room = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED)
            break;
        room[count] = 1;
    }
    return "ok";
}

static void tell(void)
{
    report(&count, sizeof count);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
