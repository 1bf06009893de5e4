/* # expect: verdict=violated property=signal
 *
 * Writes through a null pointer at once.
 */
#include <stddef.h>

int main(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
    return 0;
}
