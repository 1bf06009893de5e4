/* Reads lines by fgets through a small buffer and answers each by printf, then reads words by
 * getline and sorts them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
    static char buffer[16];
    char line[48], word[32], *all[32], *next = NULL;
    size_t room = 0, count = 0;
    long sum = 0, lines = 0;
    setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    while (lines < 12 && fgets(line, sizeof line, stdin)) {
        int number = 0;
        lines++;
        if (sscanf(line, "%31s %d", word, &number) == 2) sum += number;
        printf("%s %d %ld %.2f\n", word, number, sum, (double)sum / (double)lines);
        fflush(stdout);
    }
    while (count < 32 && getline(&next, &room, stdin) > 0) {
        all[count++] = strdup(next);
        printf("%zu %s", count, next);
        fflush(stdout);
    }
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count; i++) fputs(all[i], stdout);
    return 0;
}
