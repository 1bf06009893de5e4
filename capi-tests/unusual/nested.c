/* build: gcc -O0 -g
 * build: gcc -O2 -g
 * build: gcc -O2
 * send: + + + ?
 * reply: 3
 *
 * A nested function finds the variables around it from one address, though debug
 * information knows them as several objects.
 */
#include "../memory/one_byte.h"

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    int first = 0, second = 0, third = 0;
    __attribute__((noinline, noclone)) int add(int n)
    {
        first += n;
        second += n;
        third += n;
        return first == second && second == third ? third : -1;
    }
    for (;;) {
        char request = next_request(conn);
        if (request == '\0')
            return 0;
        if (request == '+')
            add(1);
        answer(conn, request == '?' ? (char)('0' + add(0)) : '.');
    }
}
