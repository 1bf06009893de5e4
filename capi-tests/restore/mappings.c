/* # expect: verdict=pass
 *
 * "m" and "n" change what is mapped and the rights of it, "w" what is there, sealed pages of the
 * loader among it, and "d" throws pages away; the program break moves, too.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <link.h>
#include <sys/mman.h>

static unsigned char *shared, *own, *sealed, *sparse;
static unsigned char writes;
static int is_closed;

static int find(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO && strstr(info->dlpi_name, "libc.so"))
            sealed = (unsigned char *)((info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & -4096ul);
    return sealed != NULL;
}

static void map(void)
{
    shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    own = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sparse = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || own == MAP_FAILED || sparse == MAP_FAILED)
        exit(9);
}

static const char *obey(char letter)
{
    switch (letter) {
    case 'm':
        if (!shared)
            map();
        break;
    case 'n':
        is_closed ^= 1;
        if (own)
            mprotect(own, 4096, is_closed ? PROT_NONE : PROT_READ | PROT_WRITE);
        sbrk(4096);
        break;
    case 'w':
        writes++;
        if (shared) {
            shared[1] += writes;
            sparse[(size_t)writes << 20] += writes;
        }
        if (own && !is_closed) {
            own[0] += writes;
            mprotect(own, 4096, PROT_READ);
        }
        /* The last byte of a page: of padding, or of something that is not called here. */
        mprotect(sealed, 4096, PROT_READ | PROT_WRITE);
        sealed[4095] += writes;
        mprotect(sealed, 4096, PROT_READ);
        if (own && !is_closed)
            mprotect(own, 4096, PROT_READ | PROT_WRITE);
        break;
    case 'd':
        if (sparse)
            madvise(sparse, 4 << 20, MADV_DONTNEED);
        break;
    }
    return "ok";
}

static void tell(void)
{
    unsigned sum = 0;
    for (size_t at = 0; sparse && at < 16 << 20; at += 4096)
        sum = sum * 31 + sparse[at];
    unsigned char record[] = { writes,
                               sealed[4095],
                               shared ? shared[1] : 0,
                               own && !is_closed ? own[0] : 0,
                               (unsigned char)sum,
                               (unsigned char)((uintptr_t)sbrk(0) >> 12) };
    report(record, sizeof record);
}

int main(int argc, char **argv)
{
    dl_iterate_phdr(find, NULL);
    serve_letters(argc, argv);
}
