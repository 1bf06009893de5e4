/* What the engine adds to a step: overhead CMC CORE.so KIND SPINS. CORE.so is one of the busy cores,
 * whose worlds are so few that the set of those seen costs next to nothing. Five times in turns its
 * step() is called alone, as often as the search makes steps, and the command searches it; both on one
 * thread. KIND is the kind of the event, 2 for a timer and 8 for an action. Prints the medians of
 * the processor time of each, user and system, for a step, and by how much the second is more. */

#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"
#include "cmc.h"

enum { ROUNDS = 5 };

static void fail(const char *what)
{
    fprintf(stderr, "overhead: %s: %s\n", what, errno ? strerror(errno) : "cannot be used");
    exit(2);
}

/* The functions of libcmc are found in cmc; here nobody calls them. */
static const CmcCore *core_of(const char *path)
{
    void *file = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const CmcCore *core = file ? dlsym(file, "cmc_core") : NULL;
    errno = 0;
    if (core == NULL)
        fail(path);
    return core;
}

static double now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        fail("clock_gettime");
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds for `count` calls of step() from states that the steps themselves lead to. */
static double steps_alone(const CmcCore *core, CmcEventKind kind, uint8_t spins, long count)
{
    static CmcNode node = {.nodes = 1, .len = 1};
    static CmcOut out;
    CmcEvent event = {.kind = (uint8_t)kind};
    Busy state = {0};
    double start = now();

    node.settings[SPINS] = spins;
    for (long i = 0; i < count; i++) {
        event.id = event.peer = (uint8_t)i & 15;
        out.n = 0;
        core->step(&node, &state, &event, &out);
    }
    return now() - start;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Seconds for a search; `generated` becomes the number of its steps. */
static double search(const char *cmc, const char *core, const char *spins, long *generated)
{
    char file[4096], set[32], line[256];
    struct rusage usage;
    int status, ends[2];

    snprintf(file, sizeof file, "--core=%s", core);
    snprintf(set, sizeof set, "--set=SPINS=%s", spins);
    if (pipe(ends) != 0)
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(cmc, cmc, file, set, "--workers=1", "--json", (char *)NULL);
        fail(cmc);
    }
    close(ends[1]);
    FILE *json = fdopen(ends[0], "r");
    if (child < 0 || json == NULL)
        fail("fork");
    *generated = 0;
    while (fgets(line, sizeof line, json) != NULL)
        sscanf(line, " \"generated\": %ld", generated);
    fclose(json);
    if (wait4(child, &status, 0, &usage) < 0)
        fail("wait4");
    errno = 0;
    if (status != 0 || *generated == 0)
        fail(core);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    double alone[ROUNDS], searched[ROUNDS];
    long count;

    if (argc != 5) {
        fprintf(stderr, "usage: overhead CMC CORE.so KIND SPINS\n");
        return 2;
    }
    const CmcCore *core = core_of(argv[2]);
    const CmcEventKind kind = (CmcEventKind)atoi(argv[3]);
    for (int i = 0; i < ROUNDS; i++) {
        searched[i] = search(argv[1], argv[2], argv[4], &count) / (double)count;
        alone[i] = steps_alone(core, kind, (uint8_t)atoi(argv[4]), count) / (double)count;
    }
    const double step = median(alone), engine = median(searched);
    printf("%s: %ld steps, %.0f ns alone, %.0f ns searched, overhead %.1f %%\n", core->name, count,
           step * 1e9, engine * 1e9, (engine / step - 1) * 100);
    return 0;
}
