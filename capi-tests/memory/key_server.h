/* A server of a set of keys of one character. Whoever includes this, behind all else, has said what
 * insert(key) and tell(conn) do: the first takes a key in, the second answers with all of them. The
 * buffer is cleared behind each request, so that the state is the set. */
#ifndef MEMORY_KEY_SERVER_H
#define MEMORY_KEY_SERVER_H

#include "../targets/listener.h"

#include <string.h>

static void serve(int conn)
{
    char buf[16];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] < '1' || buf[0] > '0' + KEYS)
            break;
        insert(buf[0]);
        if (tell(conn) < 0)
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

#endif
