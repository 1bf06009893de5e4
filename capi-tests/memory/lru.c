/* count: ideal=42 stale=98 histories=524
 * expect: verdict=pass states=98 raw_fallbacks=0 disagreed=0
 * count lru_ignored: ideal=42 stale=42 histories=524
 * expect lru_ignored: verdict=pass states=42 raw_fallbacks=0 disagreed=0
 *
 * A cache of the three keys that were used last, as a doubly linked list.
 * The buffers of serve are in scope while it waits: they keep the last key,
 * which is the head of the list, and the last answer, which is not in it.
 *
 * 42 = accept 1 + 1 + 4 + 12 + 24: sequences of up to 3 of 4 keys.  98 = accept 1
 * + 97 pairs of a sequence and what out can hold with it: whether the last key
 * was a hit, what went for it, and old ends of longer answers.
 */
#include "../targets/listener.h"

#include <string.h>

#define ROOM 3

struct entry {
    struct entry *newer, *older;
    char key;
};

static struct entry *newest, *oldest;
static int held;

static void unlink_entry(struct entry *entry)
{
    *(entry->newer != NULL ? &entry->newer->older : &newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &oldest) = entry->newer;
}

static void push(struct entry *entry)
{
    entry->newer = NULL;
    entry->older = newest;
    *(newest != NULL ? &newest->newer : &oldest) = entry;
    newest = entry;
}

/* The answer in `out`; its length. */
static int use(char key, char *out, size_t room)
{
    struct entry *entry = newest;
    while (entry != NULL && entry->key != key)
        entry = entry->older;
    if (entry != NULL) {
        unlink_entry(entry);
        push(entry);
        return snprintf(out, room, "%c hit", key);
    }
    char gone = 0;
    if (held == ROOM) {
        struct entry *last = oldest;
        gone = last->key;
        unlink_entry(last);
        free(last);
        held--;
    }
    entry = malloc(sizeof *entry);
    if (entry == NULL) {
        perror("malloc");
        exit(9);
    }
    entry->key = key;
    push(entry);
    held++;
    if (gone != 0)
        return snprintf(out, room, "%c miss, %c out", key, gone);
    return snprintf(out, room, "%c miss", key);
}

static void serve(int conn)
{
    char buf[16], out[32];
    while (read(conn, buf, sizeof buf) > 0) {
        if (buf[0] < '1' || buf[0] > '4')
            break;
        int n = use(buf[0], out, sizeof out);
        if (write(conn, out, (size_t)n) < 0)
            break;
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
