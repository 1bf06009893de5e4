/* # expect: verdict=error word=clone
 *
 * Forks: a second process would run outside the checker.
 */
#include "listener.h"

#include <sys/types.h>

int main(int argc, char **argv)
{
    listener_on(own_port(argc, argv));
    pid_t child = fork();
    if (child < 0)
        return 9;
    for (;;)
        pause();
}
