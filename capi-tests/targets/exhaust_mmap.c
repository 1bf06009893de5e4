/* # expect: verdict=error word=memory
 *
 * Takes memory from mmap and writes to it until there is none.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    for (;;) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            abort();
        memset(block, 1, 1 << 20);
    }
}
