/* Arithmetic that becomes vectors, calls of libgcc, and moves of sixteen bytes. */

#include <limits.h>

#include <cmc_core.h>

typedef struct State {
    uint64_t words[16];
    uint32_t halves[32];
    uint8_t bytes[64];
    union {
        uint64_t whole;
        uint8_t parts[8];
    } both;
} State;

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    for (uint32_t i = 0; i < 32; i++)
        s->halves[i] = i * index + node->id;
    cmc_cancel(out, 0);
}

__attribute__((unused, noinline)) static uint64_t mixed(const uint64_t *words, size_t count)
{
    uint64_t sum = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ words[i]) * UINT64_C(0xff51afd7ed558ccd) + (sum << 7 | sum >> 57);
    return sum;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state;
    for (size_t i = 0; i < 32; i++)
        s->halves[i] = s->halves[i] * 3 + event->id > 100 ? s->halves[31 - i] >> 1 : UINT_MAX;
    for (size_t i = 0; i < 64; i++)
        s->bytes[i] = (uint8_t)(s->bytes[i] + s->halves[i / 2] / 3);
    for (size_t i = 0; i < 16; i++)
        s->words[i] += (uint64_t)s->halves[i] * s->halves[i + 16] + (uint64_t)__builtin_popcountll(s->words[i]);
    __int128 wide = (__int128)s->words[0] * (int64_t)s->words[1];
    s->words[2] = (uint64_t)(wide / (event->id + 1)) + (uint64_t)(wide % 1000007);
    uint64_t sum;
    if (__builtin_add_overflow(s->words[3], s->words[4], &sum))
        sum = __builtin_bswap64(sum) + (sum ? (uint64_t)__builtin_ctzll(sum) : 0);
    s->both.whole = mixed(s->words, 16) + sum;
    s->bytes[0] = s->both.parts[node->id % 8];
    cmc_send(out, s->bytes[0] % node->nodes, s->words, 32);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "arithmetic",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
};
