/* A server of one connection at a time that is sent letters and answers each:
 * what a target does with a letter is its `obey`, what it reports its `tell`. */
#ifndef AUDIT_LETTERS_H
#define AUDIT_LETTERS_H

#include "../targets/listener.h"
#include "../targets/report.h"

/* The answer to `letter`. */
static const char *obey(char letter);
/* Write the report. */
static void tell(void);

static inline void serve_letters(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;) {
        tell();
        int conn = next_connection(listener);
        char letter;
        for (;;) {
            tell();
            if (read(conn, &letter, 1) != 1)
                break;
            const char *answer = obey(letter);
            if (write(conn, answer, strlen(answer)) < 0)
                break;
        }
        close(conn);
    }
}

#endif
