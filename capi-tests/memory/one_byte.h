/* Requests and answers of one byte.  They are functions of their own, so that
 * no byte of them stays in a frame that is there while the program waits, and
 * a program's state is in the one place that it is about. */
#ifndef MEMORY_ONE_BYTE_H
#define MEMORY_ONE_BYTE_H

#include "../targets/listener.h"

/* The next request, 0 at the end. */
static __attribute__((noinline)) char next_request(int conn)
{
    /* Frames are followed by four bytes at a time: an int, so that nothing that
     * an earlier call has left is beside it. */
    int request = 0;
    return read(conn, &request, 1) == 1 ? (char)request : '\0';
}

static __attribute__((noinline)) void answer(int conn, char byte)
{
    if (write(conn, &byte, 1) < 0) {
        perror("write");
        exit(9);
    }
}

#endif
