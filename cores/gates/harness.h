/* The harness of the MemorySanitizer gate: a core is called as the engine would call it, and after each
 * call every byte that it was to write must be initialised.
 *
 *   harness.c      options, what was found
 *   call.c         one call of the core, and what is checked of it
 *   environment.c  random walks: what was sent is delivered, what was armed fires, nodes crash
 *   recording.c    calls as lines of text, read and written
 *
 * Compiled with -fsanitize=memory together with one core. */

#ifndef HARNESS_H
#define HARNESS_H

#include <cmc.h>

extern const CmcCore cmc_core;
/* Of model.c, if the core has one. */
extern const CmcSetup cmc_setup __attribute__((weak));

/* -- harness.c -- */

/* What the calls are about: the nodes and their settings. */
typedef struct World {
    uint8_t nodes;
    uint16_t settings_len;
    uint8_t settings[CMC_MAX_SETTINGS];
    bool is_set[CMC_MAX_SETTINGS]; // by the command line
} World;

extern World world;

/* Whether the model takes the settings of `world`. */
bool are_settings_accepted(void);
/* Prints FILE: REASON: what, where, remedy; the place is the call under way. */
void say(const char *reason, const char *what, const char *remedy);
/* The same, and exits with 1. */
_Noreturn void found(const char *reason, const char *what, const char *remedy);
/* Prints why nothing can be checked, and exits with 2. */
_Noreturn void cannot(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says where the calls come from: a walk, or a line of a recording. */
void set_origin(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -- call.c -- */

/* Zero the states of all nodes, for another walk. */
void forget_states(void);
/* Each calls the core twice, from copies at different places, checks what it wrote, and exits by found()
 * where it is wrong. `out` is what it asked for. */
void call_init(uint8_t node, uint32_t index, CmcOut *out);
void call_step(uint8_t node, const CmcEvent *event, CmcOut *out);
void call_persist(uint8_t node, const uint8_t *record, size_t len);
/* Returns how many actions there are; `actions` holds CMC_MAX_ACTIONS. */
size_t call_actions(uint8_t node, CmcEvent *actions);
uint32_t call_initial_count(void);
/* Forget the volatile bytes of a node. */
void crash_state(uint8_t node);

/* The call under way or last made, as a line of a recording; "" before the first. */
const char *last_call(void);
/* How many calls there were, by kind: init, persist, actions, and step by kind of event. */
void print_calls(void);

/* -- environment.c -- */

/* Make `length` calls at most, chosen by `seed`. */
void walk(const CmcEnv *env, uint64_t seed, unsigned length);

/* -- recording.c -- */

/* Make the calls of a file. */
void replay(const char *path);
/* Write every call to a file from now on. */
void record_to(const char *path);
void record_world(void);
/* Text of a call, as a recording has it. */
void describe_init(char *line, size_t cap, uint8_t node, uint32_t index);
void describe_step(char *line, size_t cap, uint8_t node, const CmcEvent *event);
void describe_persist(char *line, size_t cap, uint8_t node, const uint8_t *record, size_t len);
void record_line(const char *line);

#endif
