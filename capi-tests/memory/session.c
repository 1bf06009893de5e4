/* count: ideal=80 stale=120 histories=309
 * expect: verdict=pass states>=80 states<=120 raw_fallbacks=0 disagreed=0
 *
 * A server of accounts: names from strdup, requests taken apart by sscanf,
 * answers by dprintf with a %.2f, a log by printf.  Two clients, one after the
 * other; the newest account is at the head of the list.
 *
 * A state is a wait, in accept or in read, with the list of accounts and, in
 * read, the request: what was sent on this connection, with old ends of longer
 * requests.  There are 80, counted by the test.  Four things may tell more
 * apart: the flag of the processor for an inexact result, that the log has got
 * its buffer, the variables of obey and the length, where they are inlined into
 * main, and the request of the connection before.  With all of them there are
 * 120.
 */
#define _GNU_SOURCE
#include "../targets/listener.h"

#include <string.h>

struct account {
    struct account *next;
    char *name;
    long cents;
};

static struct account *accounts;

static struct account **find(const char *name)
{
    struct account **link = &accounts;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

static void login(const char *name)
{
    struct account *new = malloc(sizeof *new);
    if (new == NULL || (new->name = strdup(name)) == NULL) {
        perror("malloc");
        exit(9);
    }
    new->cents = 0;
    new->next = accounts;
    accounts = new;
}

static void logout(struct account **link)
{
    struct account *old = *link;
    *link = old->next;
    free(old->name);
    free(old);
}

static void obey(int conn, const char *req)
{
    char command[16], name[16];
    long cents = 0;
    if (sscanf(req, "%15s %15s %ld", command, name, &cents) < 2) {
        dprintf(conn, "what?");
        return;
    }
    struct account **link = find(name);
    if (strcmp(command, "login") == 0 && *link == NULL) {
        login(name);
        dprintf(conn, "hello %s", name);
    } else if (strcmp(command, "pay") == 0 && *link != NULL) {
        (*link)->cents += cents;
        dprintf(conn, "%s has %.2f", name, (double)(*link)->cents / 100);
    } else if (strcmp(command, "logout") == 0 && *link != NULL) {
        dprintf(conn, "goodbye %s with %.2f", name, (double)(*link)->cents / 100);
        logout(link);
    } else {
        dprintf(conn, "no %s for %s", command, name);
    }
    printf("%s by %s\n", command, name);
    fflush(stdout);
}

static void serve(int conn)
{
    char req[64];
    ssize_t n;
    while ((n = read(conn, req, sizeof req - 1)) > 0) {
        req[n] = '\0';
        obey(conn, req);
#ifdef CLEARED
        memset(req, 0, sizeof req);
#endif
    }
    close(conn);
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    for (;;)
        serve(next_connection(listener));
}
