/* # expect: verdict=violated property=signal
 *
 * Writes wild over its own memory when the first connection comes: over what the
 * second argument names, or over all that it can reach, arena and preload
 * included. Then it goes on as if nothing had happened: it allocates, reports
 * and waits. The report says nothing of it.
 */
#define _GNU_SOURCE
#include "../targets/listener.h"
#include "../targets/report.h"

#include <link.h>
#include <stdint.h>

#define MOST 64

struct range {
    volatile unsigned char *from;
    size_t length;
};

static struct range ranges[MOST + 2];
static int count;
static const char *what;

static int wanted(const char *part)
{
    return strcmp(what, part) == 0 || strcmp(what, "all") == 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *part = strstr(info->dlpi_name, "preload") ? "preload" :
                       strstr(info->dlpi_name, "libc")    ? "libc" :
                       strstr(info->dlpi_name, "ld-linux") ? "loader" :
                                                             "program";
    uintptr_t sealed = 0;
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_GNU_RELRO)
            sealed = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + 4095) & ~4095UL;
    }
    for (int i = 0; i < info->dlpi_phnum && wanted(part) && count < MOST; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + segment->p_vaddr;
        uintptr_t to = from + segment->p_memsz;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        if (from < sealed)
            from = sealed;
        if (from < to)
            ranges[count++] = (struct range){ (volatile unsigned char *)from, to - from };
    }
    return 0;
}

/* In registers and on the stack, as far as a compiler can be asked. */
static void smash(void)
{
    struct range here[MOST + 2];
    int n = count;
    for (int i = 0; i < n; i++)
        here[i] = ranges[i];
    for (int i = 0; i < n; i++)
        for (size_t at = 0; at < here[i].length; at++)
            here[i].from[at] = 0x5a;
}

int main(int argc, char **argv)
{
    int listener = listener_on(own_port(argc, argv));
    char *object = malloc(24);
    what = argc > 2 ? argv[2] : "all";
    if (wanted("arena")) {
        uintptr_t page = (uintptr_t)object & ~(uintptr_t)((1 << 28) - 1);
        ranges[count++] = (struct range){ (volatile unsigned char *)page, 3 * 4096 };
    }
    dl_iterate_phdr(look, NULL);
    report("idle", 4);
    next_connection(listener);
    if (wanted("stack")) {
        volatile uintptr_t here = (uintptr_t)&listener;
        uintptr_t from = here;
        ranges[count++] =
            (struct range){ (volatile unsigned char *)from, (uintptr_t)(argv + argc) - from };
    }
    smash();
    free(malloc(24));
    free(object);
    object = malloc(1 << 20);
    report("idle", 4);
    next_connection(listener);
    return 0;
}
