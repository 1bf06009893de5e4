/* Two inlined functions with arrays, and a call after both: their arrays are dead there. */
#include "frame.h"

static long first_at, second_at;
static struct frame frame;

static inline __attribute__((always_inline)) int first(int seed)
{
    char early[64];
    early[0] = (char)seed;
    escape(early);
    first_at = (long)early;
    caller(&frame);
    SAY_FRAME("first", frame);
    return early[0];
}

static inline __attribute__((always_inline)) int second(int seed)
{
    struct {
        char late[96];
    } held;
    held.late[1] = (char)seed;
    escape(&held);
    second_at = (long)&held;
    return held.late[1];
}

static __attribute__((noinline)) int serve(int seed)
{
    char whole[48];
    int sum = 0;
    escape(whole);
    sum += first(seed);
    sum += second(sum);
    for (int turn = 0; turn < 2; turn++) {
        char block[24];
        escape(block);
        sum += block[0] * 0;
    }
    caller(&frame);
    SAY_FRAME("blocked", frame);
    SAY(frame, whole);
    printf("frame early %ld 64\n", first_at - (long)frame.cfa);
    printf("frame held %ld 96\n", second_at - (long)frame.cfa);
    escape(&sum);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return serve(argc) < 0;
}
