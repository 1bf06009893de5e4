/* Variables of a frame, in blocks that are entered and left. */
#include "frame.h"
#include <string.h>

struct pair {
    int a;
    long b;
};

struct large {
    long words[5];
};

static __attribute__((noinline)) int walk(int argument, struct large by_value)
{
    char buffer[40];
    struct pair pair = {argument, 2};
    int number = argument;
    escape(buffer), escape(&pair), escape(&number), escape(&by_value);
    {
        long inner[3] = {1, 2, 3};
        escape(inner);
        struct frame frame;
        caller(&frame);
        SAY_FRAME("inner", frame);
        SAY(frame, inner);
        SAY(frame, buffer);
        SAY(frame, by_value);
    }
    struct frame frame;
    caller(&frame);
    SAY_FRAME("outer", frame);
    SAY(frame, pair);
    SAY(frame, number);
    return number + (int)pair.b + (int)by_value.words[4] + buffer[0] * 0;
}

/* A value that has to survive calls. */
static __attribute__((noinline)) int keep(int kept)
{
    struct frame frame;
    caller(&frame);
    SAY_FRAME("keep", frame);
    escape(&frame);
    return kept * 3;
}

static __attribute__((noinline)) int variable_length(int length)
{
    char room[length];
    struct frame frame;
    memset(room, 0, sizeof room);
    escape(room);
    caller(&frame);
    SAY_FRAME("variable_length", frame);
    return room[length - 1];
}

static __attribute__((noinline)) int allocates(int length)
{
    char *room = __builtin_alloca(length);
    struct frame frame;
    memset(room, 0, length);
    escape(room);
    caller(&frame);
    SAY_FRAME("allocates", frame);
    return room[length - 1];
}

/* More arguments than there are registers for them. */
static __attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    char space[24];
    escape(space);
    struct frame frame;
    caller(&frame);
    SAY_FRAME("many", frame);
    SAY(frame, space);
    return a + b + c + d + e + f + g + h;
}

static __attribute__((noinline)) int pushes(int seed)
{
    char held[32];
    escape(held);
    int sum = many(seed, 2, 3, 4, 5, 6, 7, seed + 1);
    struct frame frame;
    caller(&frame);
    SAY_FRAME("pushes", frame);
    SAY(frame, held);
    return sum + seed;
}

/* Further aligned than the stack is: the distance from the frame address differs from call to call. */
static __attribute__((noinline)) int aligned(int seed)
{
    _Alignas(128) char wide[128];
    char narrow[16];
    escape(wide), escape(narrow);
    struct frame frame;
    caller(&frame);
    SAY_FRAME("aligned", frame);
    SAY(frame, wide);
    SAY(frame, narrow);
    return seed;
}

int main(int argc, char **argv)
{
    (void)argv;
    struct large large = {{1, 2, 3, 4, argc}};
    return walk(argc, large) + keep(argc) + variable_length(argc + 20) + allocates(argc + 20) +
                   pushes(argc) + aligned(argc) ==
               0;
}
