/* # expect: verdict=error word=clone
 *
 * Starts a second thread; nobody schedules it.
 */
#include "listener.h"

#include <pthread.h>

static void *idle(void *nothing)
{
    pause();
    return nothing;
}

int main(int argc, char **argv)
{
    listener_on(own_port(argc, argv));
    pthread_t thread;
    if (pthread_create(&thread, NULL, idle, NULL) != 0)
        return 9;
    pthread_join(thread, NULL);
    return 0;
}
