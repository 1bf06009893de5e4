/* # expect: verdict=error word=heap
 *
 * Takes memory from malloc and writes to it until there is none.
 */
#include <stdlib.h>
#include <string.h>

int main(void)
{
    for (;;) {
        char *volatile block = malloc(1 << 20);
        if (block == NULL)
            abort();
        memset(block, 1, 1 << 20);
    }
}
