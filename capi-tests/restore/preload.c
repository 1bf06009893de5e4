/* # expect: verdict=violated property=signal
 *
 * "u" unmaps the preload, "m" maps zeros over its data; "a" allocates, which is fine before either.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <link.h>
#include <sys/mman.h>

static int count;
static void *allocated;

/* First and last page of what is mapped of the preload, of the segments with these flags. */
struct found {
    unsigned flags;
    uintptr_t start, end;
};

static int find(struct dl_phdr_info *info, size_t size, void *data)
{
    struct found *found = data;
    (void)size;
    if (!strstr(info->dlpi_name, "cmc-preload"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & found->flags) != found->flags)
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (!found->start)
            found->start = start & -4096ul;
        found->end = (start + segment->p_memsz + 4095) & -4096ul;
    }
    return 1;
}

static const char *obey(char letter)
{
    struct found found = { letter == 'm' ? PF_W : PF_X, 0, 0 };
    if (letter == 'u' || letter == 'm') {
        dl_iterate_phdr(find, &found);
        void *at = (void *)found.start;
        size_t length = found.end - found.start;
        if (letter == 'u')
            munmap(at, length);
        else
            mmap(at, length, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    if (letter == 'a') {
        allocated = malloc(100);
        count += allocated != NULL;
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
