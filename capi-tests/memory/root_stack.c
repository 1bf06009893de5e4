/* count: ideal=6 stale=6 histories=20
 * expect: verdict=pass states=6 raw_fallbacks=0 disagreed=0
 * root: stack
 *
 * All that this program knows is a variable of main that is kept in memory:
 * + and - move a level, and the answer is a letter for it.
 *
 * 6 = accept 1 + 5 levels of two steps up and two steps down.
 */
#include "one_byte.h"

int main(int argc, char **argv)
{
    volatile int level = 0;
    int conn = next_connection(listener_on(own_port(argc, argv)));
    for (;;) {
        switch (next_request(conn)) {
        case '+':
            level++;
            break;
        case '-':
            level--;
            break;
        default:
            return 0;
        }
        answer(conn, (char)('c' + level));
    }
}
