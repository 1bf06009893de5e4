/*
 * streams FOLDER: has a stream of every kind in the middle of something, says of each which bytes of
 * its buffer may be overwritten, `NAME FROM TO` or `NAME none`, and waits for a line. Then it uses
 * every stream to its end: status 0 if nothing was lost.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define CHECK(what)                                                    \
    do {                                                               \
        if (!(what)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

static FILE *file(const char *folder, const char *name, const char *mode)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, mode);
    CHECK(stream != NULL);
    return stream;
}

/* A file that holds this text, open in `mode`. */
static FILE *holding(const char *folder, const char *name, const char *text, const char *mode)
{
    FILE *stream = file(folder, name, "w");

    CHECK(fputs(text, stream) >= 0 && fclose(stream) == 0);
    return file(folder, name, mode);
}

static void none(const char *name)
{
    printf("%s none\n", name);
}

static void from(const char *name, const char *start, const FILE *stream)
{
    printf("%s %p %p\n", name, (const void *)start, (const void *)stream->_IO_buf_end);
}

static ssize_t give(void *cookie, char *buffer, size_t size)
{
    (void)cookie;
    memset(buffer, 'c', size);
    return (ssize_t)size;
}

int main(int argc, char **argv)
{
    char line[64], own[256];
    CHECK(argc == 2);

    FILE *in = holding(argv[1], "in", "first\nsecond\nthird\n", "r");
    CHECK(fgets(line, sizeof line, in) != NULL);
    FILE *out = file(argv[1], "out", "w");
    fputs("written and then overwritten", out);
    CHECK(fflush(out) == 0);
    fputs("kept", out);
    FILE *both = holding(argv[1], "both", "abcdefgh\nijkl\n", "r+");
    CHECK(fgetc(both) == 'a' && fseek(both, 0, SEEK_CUR) == 0 && fputc('B', both) == 'B');
    FILE *given = holding(argv[1], "given", "a buffer of one's own\n", "r");
    CHECK(setvbuf(given, own, _IOFBF, sizeof own) == 0 && fgetc(given) == 'a');
    FILE *plain = holding(argv[1], "plain", "no buffer\n", "r");
    CHECK(setvbuf(plain, NULL, _IONBF, 0) == 0 && fgetc(plain) == 'n');
    FILE *back = holding(argv[1], "back", "pushed\n", "r");
    CHECK(fgetc(back) == 'p' && ungetc('q', back) == 'q');
    FILE *wide = holding(argv[1], "wide", "wide\n", "r");
    CHECK(fgetwc(wide) == L'w');
    FILE *cookie = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = give });
    CHECK(cookie != NULL && fgetc(cookie) == 'c');
    setvbuf(stdout, NULL, _IOLBF, 0);

    /* The first line of input is long, the second short: what is left of the first is stale. */
    CHECK(fgets(line, sizeof line, stdin) != NULL && fgets(line, sizeof line, stdin) != NULL);
    from("stdin", stdin->_IO_buf_base, stdin);
    from("in", in->_IO_read_end, in);
    from("out", out->_IO_write_ptr, out);
    from("both", both->_IO_read_end > both->_IO_write_ptr ? both->_IO_read_end : both->_IO_write_ptr,
         both);
    none("given");
    none("plain");
    none("back");
    none("wide");
    none("cookie");
    printf("stdout %p %p\n", (void *)stdout->_IO_buf_base, (void *)stdout->_IO_buf_end);
    puts("ready");
    CHECK(fgets(line, sizeof line, stdin) != NULL && strcmp(line, "go on\n") == 0);

    CHECK(fgets(line, sizeof line, in) != NULL && strcmp(line, "second\n") == 0);
    CHECK(fgets(line, sizeof line, in) != NULL && strcmp(line, "third\n") == 0);
    CHECK(fgets(line, sizeof line, in) == NULL);
    fputs(" too", out);
    CHECK(fclose(out) == 0);
    out = file(argv[1], "out", "r");
    CHECK(fgets(line, sizeof line, out) && strcmp(line, "written and then overwrittenkept too") == 0);
    CHECK(fseek(both, 0, SEEK_CUR) == 0 && fgetc(both) == 'c');
    rewind(both);
    CHECK(fgets(line, sizeof line, both) != NULL && strcmp(line, "aBcdefgh\n") == 0);
    CHECK(fgets(line, sizeof line, given) != NULL && strcmp(line, " buffer of one's own\n") == 0);
    CHECK(fgets(line, sizeof line, plain) != NULL && strcmp(line, "o buffer\n") == 0);
    CHECK(fgets(line, sizeof line, back) != NULL && strcmp(line, "qushed\n") == 0);
    CHECK(fgetwc(wide) == L'i' && fgetwc(wide) == L'd');
    CHECK(fgetc(cookie) == 'c');
    puts("done");
    return 0;
}
