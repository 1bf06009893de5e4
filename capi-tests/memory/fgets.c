/* count: ideal=82 stale=82 histories=327
 * expect: verdict=pass states=82 raw_fallbacks=0 disagreed=0
 * count fgets_ignored: ideal=33 stale=33 histories=327
 * expect fgets_ignored: verdict=pass states=33 raw_fallbacks=0 disagreed=0
 *
 * A set of keys as a sorted list; requests are lines, read by fgets from a
 * stream on the connection and answered by fprintf to another, and printf logs
 * them.  While it waits the program is some frames deep in stdio.
 *
 * 82 = accept 1 + the empty set 1 + n 2^(n-1), n = 5: sets with their last
 * line.  All output is flushed before the next wait, and stdio's own buffers
 * hold nothing that it will read.  Without the line 33 = accept 1 + 2^n sets.
 */
#include "../targets/listener.h"
#include "sorted_list.h"

static struct node *head;

static void answer(FILE *out)
{
    for (const struct node *at = head; at != NULL; at = at->next)
        fprintf(out, "%c ", at->key);
    fprintf(out, "\n");
    fflush(out);
}

static void serve(int conn)
{
    FILE *in = fdopen(conn, "r");
    FILE *out = fdopen(conn, "w");
    if (in == NULL || out == NULL) {
        perror("fdopen");
        exit(9);
    }
    char line[32];
    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] < '1' || line[0] > '0' + KEYS)
            break;
        insert(&head, line[0]);
        printf("stored %c\n", line[0]);
        fflush(stdout);
        answer(out);
    }
    /* Both are on one descriptor: the second has nothing left to close. */
    fclose(out);
    fclose(in);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
