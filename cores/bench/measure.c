/* Runs a command and says what it cost: measure FILE COMMAND [ARGUMENT]... Writes "SECONDS BYTES
 * WALL" to FILE: processor time, user and system, and peak resident memory, of the command and of
 * the children that it waited for, as wait4(2) counts them, and the seconds that passed. Exits as
 * the command does; with 128 and the number of the signal that ended it; with 127 if it cannot be
 * run. */

#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    return 127;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double passed(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    struct timespec start, end;
    struct rusage usage;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT]...\n");
        return 127;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(fail(argv[2]));
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return fail("wait4");
    clock_gettime(CLOCK_MONOTONIC, &end);

    FILE *file = fopen(argv[1], "w");
    if (file == NULL)
        return fail(argv[1]);
    fprintf(file, "%.6f %ld %.6f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
            usage.ru_maxrss * 1024, passed(start, end));
    if (fclose(file) != 0)
        return fail(argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
