/* What the gate looks for, where it is no code: asm volatile("rdtsc"), goto *label, (uintptr_t)p,
 * __builtin_return_address(0), static int counter, out->o[0].kind = 1, out->n = 0, float, setjmp(),
 * #include <time.h>, #pragma weak, #line 1 "cmc_core.h" */

#include <cmc_core.h>

// asm("cpuid"); __asm__ volatile ("syscall"); \
   thread_local int counter; /* typeof(*out) */

#define TEXT "asm volatile(\"rdtsc\") __TIME__ /* typeof */ // uintptr_t"

typedef struct State {
    uint8_t asm_count, volatile_count, o[4], n; // of its own, and no effects
    char mark;
} State;

static const char *const words[] = {
    "asm", "__asm__", "volatile", "float", "double", "_Thread_local", "'", TEXT, "\\\" asm(\"",
};

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    State *s = state;
    s->mark = '"'; /* asm("") */ s->n = node->id;
    s->o[index % 4] = '\'';
    cmc_arm(out, 0);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    State *s = state, *o = s;
    o->o[event->id % 4] = (uint8_t)words[event->id % 9][0];
    o->n++;
    s->asm_count /* volatile */ ++;
    cmc_send(out, (uint8_t)((node->id + 1) % node->nodes), s->o, sizeof s->o);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "asm volatile(\"rdtsc\")",
    .state_size = sizeof(State),
    .init = init,
    .step = step,
};
