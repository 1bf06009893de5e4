/* # expect: verdict=error word=execve
 *
 * Replaces itself by another program.
 */
#include <unistd.h>

int main(void)
{
    execl("/bin/true", "true", (char *)NULL);
    return 9;
}
