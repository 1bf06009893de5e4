/* # expect: verdict=violated property=signal
 *
 * "x" overwrites what the loader and libc keep in writable memory, from the end on; letters before it
 * are counted with stdio, which lives there.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <link.h>

static int count;
static char *volatile nowhere = (char *)8;

static int spoil(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "libc.so") && !strstr(info->dlpi_name, "ld-linux"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        char *end = (char *)(info->dlpi_addr + segment->p_vaddr + segment->p_memsz);
        for (char *at = (char *)((uintptr_t)end & -4096ul); at < end; at++)
            *(volatile char *)at ^= 0x55;
    }
    return 0;
}

static const char *obey(char letter)
{
    count = count * 3 + (letter == 'a') + 2 * (letter == 'b');
    if (letter == 'x') {
        dl_iterate_phdr(spoil, NULL);
        if (count > 2)
            *nowhere = 1;
    }
    return "ok";
}

static void tell(void)
{
    report(&count, sizeof count);
}

int main(int argc, char **argv)
{
    serve_letters(argc, argv);
}
