/* # expect: verdict=violated property=cap:output
 *
 * Writes to standard output for ever.
 */
#include <stdio.h>

int main(void)
{
    for (;;)
        puts("chatter");
}
