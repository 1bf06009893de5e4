/* # expect: verdict=pass
 *
 * Makes two records durable before it listens, each one more than what it found: a
 * crash may fall between them. It reports what it found.
 */
#include "letters.h"

static unsigned char found;

static void keep(unsigned char number)
{
    unsigned char record[2] = { 1, number };
    if (write(193, record, sizeof record) != sizeof record)
        _exit(9);
}

static const char *obey(char letter)
{
    return letter == 'a' ? "1" : "0";
}

static void tell(void)
{
    report(&found, 1);
}

int main(int argc, char **argv)
{
    unsigned char record[2];
    if (read(193, record, sizeof record) == sizeof record)
        found = record[1];
    keep((unsigned char)(found + 1));
    keep((unsigned char)(found + 2));
    serve_letters(argc, argv);
}
