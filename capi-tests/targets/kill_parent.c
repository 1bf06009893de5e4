/* # expect: verdict=error word=kill
 *
 * Tries to kill the checker. Never run it natively: it kills whoever started it.
 */
#include <signal.h>
#include <unistd.h>

int main(void)
{
    return kill(getppid(), SIGKILL) == 0 ? 0 : 9;
}
