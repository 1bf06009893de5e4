/* A switch of many cases, which compilers make a table of jumps or of values; recursion; goto. */

#include <cmc_core.h>

typedef struct State {
    uint64_t a, b;
} State;

static const uint16_t weights[] = {1, 2, 4, 8, 16, 32, 64, 128};

static uint64_t ackermann(uint64_t m, uint64_t n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static uint64_t changed(uint64_t a, uint8_t kind)
{
    switch (kind) {
    case 0:
        return a + 1;
    case 1:
        return a * 4 ^ (a >> 1);
    case 2:
        return ackermann(2, a & 3);
    case 3:
        return a / (a % 5 + 1);
    case 4:
        return a + 29;
    case 5:
        return a * 8 ^ (a >> 5);
    case 6:
        return ackermann(0, a & 3);
    case 7:
        return a / (a % 9 + 1);
    case 8:
        return a + 57;
    case 9:
        return a * 12 ^ (a >> 9);
    case 10:
        return ackermann(1, a & 3);
    case 11:
        return a / (a % 13 + 1);
    case 12:
        return a + 85;
    case 13:
        return a * 16 ^ (a >> 13);
    case 14:
        return ackermann(2, a & 3);
    case 15:
        return a / (a % 17 + 1);
    case 16:
        return a + 113;
    case 17:
        return a * 20 ^ (a >> 17);
    case 18:
        return ackermann(0, a & 3);
    case 19:
        return a / (a % 21 + 1);
    case 20:
        return a + 141;
    case 21:
        return a * 24 ^ (a >> 21);
    case 22:
        return ackermann(1, a & 3);
    case 23:
        return a / (a % 25 + 1);
    default:
        return a;
    }
}

static const char *name_of(uint8_t kind)
{
    switch (kind) {
    case 1: return "message";
    case 2: return "timer";
    case 3: return "flushed";
    case 4: return "wake";
    case 5: return "client";
    case 6: return "reset";
    case 7: return "restart";
    default: return "";
    }
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    s->a = index;
    s->b = weights[node->id % 8];
    (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    s->a = changed(s->a, event->id % 32);
    s->b ^= (uint64_t)name_of(event->kind)[0] << (node->id % 8);
    if (s->a % 7 == 3)
        goto done;
    s->a++;
    if (__builtin_popcountll(s->b) * 2 > node->nodes)
        cmc_wake(out, event->id);
done:
    s->a %= 1000;
}

static uint32_t initial_count(const CmcNode *node)
{
    return node->nodes;
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "flow",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
};
