/* Expected: exit status 0, and CMC_VERSION on standard output. */
#include <cmc.h>
#include <cmc.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    if (strcmp(cmc_version(), CMC_VERSION) != 0) {
        fprintf(stderr, "the library is %s, the header %s\n", cmc_version(), CMC_VERSION);
        return 1;
    }
    if (cmc_version() != cmc_version()) {
        fprintf(stderr, "the text is not the same one at every call\n");
        return 1;
    }
    puts(cmc_version());
    return 0;
}
