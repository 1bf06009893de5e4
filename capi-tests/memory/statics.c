/* count: ideal=9 stale=10 histories=651
 * expect: verdict=pass states>=9 states<=10 raw_fallbacks=0 disagreed=0
 *
 * State in the C library: the place of strtok, the broken-down time of
 * localtime with its time zone.  A request is one of t, the next word of three;
 * e, the text of an error, which is a constant of the library and leaves nothing
 * behind; l, the time.  The e and the second l change nothing: a state for them
 * is a lock or a counter of the library that drifts.
 *
 * 9 = accept 1 + 4 * 2: words taken, time told or not.  10 where there is something
 * in the buffer of serve before the first request, which is then cleared: what
 * was on the stack.
 */
#include "../targets/listener.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static char text[] = "one two three";

static const char *next_word(void)
{
    static int begun;
    const char *word = strtok(begun ? NULL : text, " ");
    begun = 1;
    return word != NULL ? word : "no more";
}

static const char *local_time(void)
{
    time_t at = time(NULL);
    return asctime(localtime(&at));
}

static const char *obey(char request)
{
    switch (request) {
    case 't':
        return next_word();
    case 'e':
        return strerror(ENOENT);
    case 'l':
        return local_time();
    default:
        return "what?";
    }
}

static int tell(int conn, const char *text)
{
    return write(conn, text, strlen(text)) < 0 ? -1 : 0;
}

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        if (tell(conn, obey(buf[0])) < 0)
            break;
        memset(buf, 0, sizeof buf);
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
