/* An object without a name, a compound literal, in the bytes of an array that is out of scope. */
#include "frame.h"

struct message {
    char text[64];
};

static long early_at;

static inline __attribute__((always_inline)) int first(int seed)
{
    char early[64];
    early[0] = (char)seed;
    escape(early);
    early_at = (long)early;
    return early[0];
}

static __attribute__((noinline)) int handle(struct message *message, uintptr_t cfa)
{
    printf("pc blocked %#lx 0\n", linked(__builtin_return_address(0)));
    printf("frame literal %ld 64\n", (long)message - (long)cfa);
    printf("frame early %ld 64\n", early_at - (long)cfa);
    escape(message);
    return message->text[3];
}

static __attribute__((noinline)) int serve(int seed)
{
    struct frame frame;
    caller(&frame);
    int sum = first(seed);
    sum += handle(&(struct message){.text = {1, 2, 3, (char)sum}}, frame.cfa);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return serve(argc) < 0;
}
