/* count: ideal=13 stale=13 histories=20
 * expect: verdict=pass states=13 raw_fallbacks=0 disagreed=0
 * root: held
 *
 * Two records, one of which is registered as the alternate signal stack, by
 * which the kernel alone knows it: the program keeps no pointer to either.
 * s registers the other one, + moves the letter of the registered one, from a
 * or from k, to the next, and the answer is that letter.  What uses the pointers
 * is a function of its own, so that none stays in a frame that is there while
 * the program waits.
 *
 * 13 = accept 1 + 6 with the second record registered, which takes one s and
 * up to two + before and behind it, + 6 with the first, likewise: the pairs of
 * counts whose sum is at most 2.
 */
#define _GNU_SOURCE
#include "one_byte.h"

#include <signal.h>

struct record {
    struct record *other;
    char letter;
    char stack[16384];
};

static __attribute__((noinline)) void register_record(struct record *record)
{
    stack_t stack = { .ss_sp = record, .ss_size = sizeof *record };
    if (sigaltstack(&stack, NULL) < 0) {
        perror("sigaltstack");
        exit(9);
    }
}

static __attribute__((noinline)) struct record *registered(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) < 0) {
        perror("sigaltstack");
        exit(9);
    }
    return stack.ss_sp;
}

static __attribute__((noinline)) void make_records(void)
{
    struct record *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (a == NULL || b == NULL) {
        perror("calloc");
        exit(9);
    }
    *a = (struct record){ .other = b, .letter = 'a' };
    *b = (struct record){ .other = a, .letter = 'k' };
    register_record(a);
}

static __attribute__((noinline)) void obey(int conn, char request)
{
    struct record *record = registered();
    if (request == 's') {
        record = record->other;
        register_record(record);
    } else {
        record->letter++;
    }
    answer(conn, record->letter);
}

int main(int argc, char **argv)
{
    make_records();
    int conn = next_connection(listener_on(own_port(argc, argv)));
    int request;
    /* In one place, or where it waits would tell the last request. */
    while ((request = next_request(conn)) != '\0')
        obey(conn, (char)request);
    return 0;
}
