/* # expect: verdict=error word=openat
 *
 * Opens a file for writing: the host's files are not the node's to change.
 */
#include <stdio.h>

int main(void)
{
    FILE *file = fopen("target-was-here", "w");
    if (file == NULL)
        return 9;
    fputs("written\n", file);
    return fclose(file) == 0 ? 0 : 9;
}
