/* One call of the core, and what is checked of it. What the core may not read is poisoned: the effects
 * before they are written, an event and a record behind their length, and what surrounds a state. What it
 * was to write must be initialised. Each call is made twice, from copies of the state at other places and
 * with another stack below it: a difference comes from an address, or from memory outside. */

#include "harness.h"

#include <sanitizer/msan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, SECONDS = 5 };

/* A state between two guards, aligned to 16. */
static uint8_t *states[CMC_MAX_NODES], *twin;
static char line[128 + 2 * CMC_MAX_BYTES];
/* Of all states and effects. */
static uint64_t digest = UINT64_C(0xcbf29ce484222325);
static unsigned long calls, inits, persists, actions_listed, steps[CMC_EV_ACTION + 1];

const char *last_call(void)
{
    return line;
}

void print_calls(void)
{
    static const char *const names[] = {"", "MESSAGE", "TIMER", "FLUSHED", "WAKE", "CLIENT", "RESET", "RESTART", "ACTION"};
    printf("%lu calls: init %lu", calls, inits);
    for (int i = 1; i <= CMC_EV_ACTION; i++)
        if (steps[i] > 0)
            printf(", %s %lu", names[i], steps[i]);
    if (persists > 0)
        printf(", persist %lu", persists);
    if (actions_listed > 0)
        printf(", actions %lu", actions_listed);
    printf("; digest %016llx\n", (unsigned long long)digest);
}

static uint8_t *new_state(void)
{
    size_t size = cmc_core.state_size;
    uint8_t *memory = aligned_alloc(GUARD, (GUARD + size + 2 * GUARD - 1) / GUARD * GUARD + GUARD);
    if (memory == NULL)
        cannot("no memory for a state of %zu bytes", size);
    memset(memory, GUARD_BYTE, GUARD);
    memset(memory + GUARD, 0, size);
    memset(memory + GUARD + size, GUARD_BYTE, GUARD);
    __msan_poison(memory, GUARD);
    __msan_poison(memory + GUARD + size, GUARD);
    return memory + GUARD;
}

void forget_states(void)
{
    if (twin == NULL)
        twin = new_state();
    for (int i = 0; i < CMC_MAX_NODES; i++) {
        if (states[i] == NULL)
            states[i] = new_state();
        memset(states[i], 0, cmc_core.state_size);
    }
}

void crash_state(uint8_t node)
{
    memset(states[node] + cmc_core.durable_size, 0, cmc_core.state_size - cmc_core.durable_size);
}

static void check_guard(const uint8_t *guard)
{
    __msan_unpoison(guard, GUARD);
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != GUARD_BYTE)
            found("outside-state", "a write beside the state", "stay in it");
    __msan_poison(guard, GUARD);
}

static void check_bytes(const char *reason, const char *what, const void *bytes, size_t len)
{
    char text[160];
    intptr_t at = __msan_test_shadow(bytes, len);
    if (at < 0)
        return;
    snprintf(text, sizeof text, "byte %ld of the %zu of %s", (long)at, len, what);
    say(reason, text, "set every byte, padding too");
    __msan_check_mem_is_initialized(bytes, len); // tells where the byte comes from, and exits
    exit(1);
}

static void check_state(const uint8_t *state)
{
    check_bytes("uninitialised-state", "the state", state, cmc_core.state_size);
    check_guard(state - GUARD);
    check_guard(state + cmc_core.state_size);
}

static void check_out(CmcOut *out)
{
    char text[32];
    check_bytes("uninitialised-effect", "the number of effects", &out->n, sizeof out->n);
    for (uint32_t i = 0; i < out->n && i < CMC_MAX_EFFECTS; i++) {
        const CmcEffect *effect = &out->o[i];
        snprintf(text, sizeof text, "effect %u", i);
        check_bytes("uninitialised-effect", text, effect, offsetof(CmcEffect, data));
        if (effect->len <= CMC_MAX_BYTES)
            check_bytes("uninitialised-effect", text, effect->data, effect->len);
    }
}

static bool same_out(const CmcOut *a, const CmcOut *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n && i < CMC_MAX_EFFECTS; i++) {
        const CmcEffect *x = &a->o[i], *y = &b->o[i];
        if (memcmp(x, y, offsetof(CmcEffect, data)) != 0)
            return false;
        if (x->len <= CMC_MAX_BYTES && memcmp(x->data, y->data, x->len) != 0)
            return false;
    }
    return true;
}

/* FNV-1a */
static void digest_bytes(const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void digest_out(const CmcOut *out)
{
    for (uint32_t i = 0; i < out->n && i < CMC_MAX_EFFECTS; i++) {
        const CmcEffect *effect = &out->o[i];
        digest_bytes(effect, offsetof(CmcEffect, data) + (effect->len <= CMC_MAX_BYTES ? effect->len : 0));
    }
}

/* What a call is given. */
typedef struct Arguments {
    CmcNode node;
    CmcEvent event;
    uint8_t record[CMC_MAX_BYTES];
    size_t record_len;
    uint32_t index;
} Arguments;

typedef void Call(Arguments *arguments, uint8_t *state, CmcOut *out);

static void do_init(Arguments *arguments, uint8_t *state, CmcOut *out)
{
    cmc_core.init(&arguments->node, arguments->index, state, out);
}

static void do_step(Arguments *arguments, uint8_t *state, CmcOut *out)
{
    cmc_core.step(&arguments->node, state, &arguments->event, out);
}

static void do_persist(Arguments *arguments, uint8_t *state, CmcOut *out)
{
    (void)out;
    cmc_core.apply_persist(&arguments->node, state, arguments->record, arguments->record_len);
}

static CmcNode node_of(uint8_t id)
{
    CmcNode node = {.id = id, .nodes = world.nodes, .len = world.settings_len};
    memcpy(node.settings, world.settings, world.settings_len);
    __msan_poison(node.settings + node.len, sizeof node.settings - node.len);
    return node;
}

/* SIGVTALRM after so many seconds of processor time; 0: never. */
static void limit(int seconds)
{
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

/* One of the two calls. */
static void call_once(Call *call, const Arguments *given, uint8_t *state, CmcOut *out)
{
    Arguments mine = *given;
    __msan_poison(out, sizeof *out);
    out->n = 0;
    limit(SECONDS);
    call(&mine, state, out);
    limit(0);
    check_state(state);
    check_out(out);
    if (memcmp(&mine.event, &given->event, offsetof(CmcEvent, data) + given->event.len) != 0 ||
        memcmp(&mine.node, &given->node, offsetof(CmcNode, settings) + given->node.len) != 0 ||
        memcmp(mine.record, given->record, given->record_len) != 0)
        found("const", "the event, the node or the record changed", "change only what is given to change");
}

/* The other, with some stack in between. */
static __attribute__((noinline)) void call_deeper(Call *call, const Arguments *given, uint8_t *state, CmcOut *out)
{
    volatile uint8_t between[4096 + 16 * 7];
    between[0] = 0;
    between[sizeof between - 1] = between[0];
    call_once(call, given, state, out);
}

static void call_twice(Call *call, const Arguments *given, CmcOut *out)
{
    CmcOut again;
    uint8_t *state = states[given->node.id];
    calls++;
    record_line(line);
    memcpy(twin, state, cmc_core.state_size);
    call_once(call, given, state, out);
    call_deeper(call, given, twin, &again);
    if (memcmp(state, twin, cmc_core.state_size) != 0 || !same_out(out, &again))
        found("not-a-function", "two calls from the same bytes differ", "use the arguments alone, and no addresses");
    digest_bytes(state, cmc_core.state_size);
    digest_out(out);
}

void call_init(uint8_t node, uint32_t index, CmcOut *out)
{
    Arguments given = {.node = node_of(node), .index = index};
    describe_init(line, sizeof line, node, index);
    inits++;
    memset(states[node], 0, cmc_core.state_size);
    call_twice(do_init, &given, out);
}

/* Keeps the durable bytes, and compares them after the call. */
void call_step(uint8_t node, const CmcEvent *event, CmcOut *out)
{
    Arguments given = {.node = node_of(node), .event = *event};
    uint8_t *durable = malloc(cmc_core.durable_size + 1);
    if (durable == NULL)
        cannot("no memory for %zu durable bytes", cmc_core.durable_size);
    memcpy(durable, states[node], cmc_core.durable_size);
    describe_step(line, sizeof line, node, event);
    steps[event->kind]++;
    __msan_poison(given.event.data + event->len, sizeof given.event.data - event->len);
    call_twice(do_step, &given, out);
    if (memcmp(durable, states[node], cmc_core.durable_size) != 0)
        found("durable", "step() changed durable bytes", "let apply_persist() change them");
    free(durable);
}

void call_persist(uint8_t node, const uint8_t *record, size_t len)
{
    CmcOut out;
    Arguments given = {.node = node_of(node), .record_len = len};
    size_t rest = cmc_core.state_size - cmc_core.durable_size;
    uint8_t *kept = malloc(rest + 1);
    if (kept == NULL)
        cannot("no memory for %zu bytes", rest);
    memcpy(kept, states[node] + cmc_core.durable_size, rest);
    describe_persist(line, sizeof line, node, record, len);
    persists++;
    memcpy(given.record, record, len);
    __msan_poison(given.record + len, sizeof given.record - len);
    call_twice(do_persist, &given, &out);
    if (memcmp(kept, states[node] + cmc_core.durable_size, rest) != 0)
        found("durable", "apply_persist() changed other bytes than the durable ones", "let step() change them");
    free(kept);
}

size_t call_actions(uint8_t node, CmcEvent *actions)
{
    char text[32];
    CmcNode given = node_of(node);
    snprintf(line, sizeof line, "actions %u", node);
    record_line(line);
    calls++;
    actions_listed++;
    memcpy(twin, states[node], cmc_core.state_size);
    __msan_poison(actions, sizeof *actions * CMC_MAX_ACTIONS);
    limit(SECONDS);
    size_t count = cmc_core.direct_actions(&given, states[node], actions, CMC_MAX_ACTIONS);
    limit(0);
    check_bytes("uninitialised-action", "their number", &count, sizeof count);
    check_state(states[node]);
    if (memcmp(twin, states[node], cmc_core.state_size) != 0)
        found("const", "direct_actions() changed the state", "change only what is given to change");
    for (size_t i = 0; i < count && i < CMC_MAX_ACTIONS; i++) {
        CmcEvent *action = &actions[i];
        snprintf(text, sizeof text, "action %zu", i);
        action->kind = CMC_EV_ACTION; // by the engine
        check_bytes("uninitialised-action", text, action, offsetof(CmcEvent, data));
        if (action->len > CMC_MAX_BYTES)
            found("bytes", "an action with more bytes than there are", "keep len to CMC_MAX_BYTES");
        check_bytes("uninitialised-action", text, action->data, action->len);
    }
    return count;
}

uint32_t call_initial_count(void)
{
    CmcNode given = node_of(0);
    if (cmc_core.initial_count == NULL)
        return 1;
    uint32_t count = cmc_core.initial_count(&given);
    check_bytes("uninitialised-action", "the number of initial worlds", &count, sizeof count);
    return count;
}
