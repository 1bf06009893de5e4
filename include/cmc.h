/* libcmc: an explicit-state model checker for protocol code in C. The manual is libcmc(3).
 *
 * Conventions. Every function that can fail returns a CmcStatus and writes through its last
 * parameters, on CMC_OK only; cmc_last_error() has the sentence. A structure that a caller fills
 * starts with its size (sizeof); where it is shorter than the library's, the missing tail is zero,
 * and what a newer header adds must be zero for an older library (else CMC_ERR_VERSION). Zero is
 * every field's default. Every ..._free takes NULL. A verdict is not a status, and zero is no
 * verdict. libcmc prints nothing, installs no signal handler, waits for its own children only, and
 * neither exits nor aborts. A callback returns: one that leaves by longjmp() or by a C++ exception
 * is outside of all that is said here, and its model is refused from then on.
 *
 * "Threads: any" means that any thread may call the function at any time; "one": one thread at a
 * time for each handle, handles being independent; "many": any number of threads, because what is
 * read never changes.
 *
 * Generated from src/capi, src/cores and src/check by `make header`. */

#ifndef CMC_H
#define CMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version that this header belongs to.
#define CMC_VERSION "0.1.0"

// -- Handles --

// What was found.
typedef struct CmcResult CmcResult;

// One state of a model. Lent for the length of a callback, or while its result lives.
typedef struct CmcWorld CmcWorld;

// What is checked.
typedef struct CmcModel CmcModel;

// -- Errors and version --

// How a call ended.
typedef enum {
    // It did what it is for, and only then wrote to its last parameters.
    CMC_OK = 0,
    // An argument is wrong, NULL, or a structure's size is.
    CMC_ERR_ARGUMENT = -1,
    // A structure is of a newer version and says something that this library does not know.
    CMC_ERR_VERSION = -2,
    // A model file or a core says something that it cannot mean.
    CMC_ERR_MODEL = -3,
    // A program cannot be a node, or a node did what the checker does not cover.
    CMC_ERR_PROCESS = -4,
    // A trace is malformed, or the run departed from it.
    CMC_ERR_TRACE = -5,
    // The host refused something.
    CMC_ERR_SYSTEM = -6,
    // The checker contradicts itself, or panicked; the handle is of no more use.
    CMC_ERR_INTERNAL = -7,
    // There is no such step, node, message: past the end.
    CMC_ERR_RANGE = -8,
} CmcStatus;

// What a status means: a static text. Threads: any.
const char *cmc_strerror(int status);

// The sentence of this thread's last failure, until its next call of libcmc; "" before the first.
// Threads: any.
const char *cmc_last_error(void);

// The version of the library that is running, such as "0.1.0": compare it with CMC_VERSION.
// The text is static and is never freed. Cannot fail. Threads: any.
const char *cmc_version(void);

// -- Cores --

// Nodes of a model.
#define CMC_MAX_NODES 8

// Bytes of a message, of a record to persist, of a reply, and of an event's data.
#define CMC_MAX_BYTES 32

// Effects of one step.
#define CMC_MAX_EFFECTS 16

// Possible actions of a world.
#define CMC_MAX_ACTIONS 2048

// Timers of a node: 0 to 15.
#define CMC_MAX_TIMERS 16

// Waiters of a node: 0 to 7.
#define CMC_MAX_WAITERS 8

// Bytes of settings.
#define CMC_MAX_SETTINGS 256

// Why a core's step() is called.
typedef enum {
    // A message: `peer` sent `len` bytes of `data`.
    CMC_EV_MESSAGE = 1,
    // Timer `id` ran out; it is no longer armed.
    CMC_EV_TIMER = 2,
    // The oldest pending record, `len` bytes of `data`, is durable: apply_persist() has been called.
    CMC_EV_FLUSHED = 3,
    // Waiter `id` goes on.
    CMC_EV_WAKE = 4,
    // A client asks; `id` counts the requests to this node from 0.
    CMC_EV_CLIENT = 5,
    // The connection to `peer` was reset.
    CMC_EV_RESET = 6,
    // The node starts again after a crash: its volatile bytes are zero.
    CMC_EV_RESTART = 7,
    // An action that direct_actions() listed.
    CMC_EV_ACTION = 8,
} CmcEventKind;

// What a step asks of the engine. Written by the functions of cmc_core.h.
typedef enum {
    CMC_FX_SEND = 1,
    CMC_FX_ARM = 2,
    CMC_FX_CANCEL = 3,
    CMC_FX_PERSIST = 4,
    CMC_FX_WAKE = 5,
    CMC_FX_REPLY = 6,
} CmcEffectKind;

// How messages travel.
typedef enum {
    // One ordered channel for each pair of nodes and direction, as with TCP.
    CMC_NET_FIFO = 0,
    // An unordered multiset.
    CMC_NET_BAG = 1,
} CmcNetwork;

// What bytes are, for CmcFormat.
typedef enum {
    CMC_BYTES_MESSAGE = 1,
    CMC_BYTES_RECORD = 2,
    CMC_BYTES_REPLY = 3,
} CmcBytesKind;

// Which node a function is called for, and what all nodes know.
typedef struct {
    // Its number, from 0.
    uint8_t id;
    // How many nodes there are.
    uint8_t nodes;
    // Bytes used of `settings`.
    uint16_t len;
    uint8_t settings[CMC_MAX_SETTINGS];
} CmcNode;

// One effect.
typedef struct {
    // A CmcEffectKind.
    uint8_t kind;
    // Whom a message goes to.
    uint8_t to;
    // The timer or the waiter.
    uint8_t id;
    // Bytes used of `data`; 255: more were asked for than fit.
    uint8_t len;
    uint8_t data[CMC_MAX_BYTES];
} CmcEffect;

// The effects of one step, in order. A core never writes to `o`: it calls the functions of
// cmc_core.h, which count what was asked for; the engine judges it.
typedef struct {
    // Effects asked for; more than CMC_MAX_EFFECTS is the violation cap:effects.
    uint32_t n;
    CmcEffect o[CMC_MAX_EFFECTS];
} CmcOut;

// What a step is about. It has no pointers: it can be stored, hashed and replayed.
typedef struct {
    // A CmcEventKind; the engine sets it for what direct_actions() lists.
    uint8_t kind;
    // The sender, or the other end of the connection.
    uint8_t peer;
    // The timer, the waiter, the request, or the number of the action.
    uint8_t id;
    // Bytes used of `data`.
    uint8_t len;
    uint8_t data[CMC_MAX_BYTES];
} CmcEvent;

// A core: pure functions over a state of fixed size without pointers. They must be deterministic,
// change nothing but what they are given to change, call nothing but each other and mem*(), and
// return. States are compared as bytes: padding must be kept as the engine gives it, which is zero.
// State pointers are maximally aligned.
typedef struct {
    // sizeof(CmcCore).
    size_t size;
    const char *name;
    // Bytes of a node's state, 1 to 65536.
    size_t state_size;
    // The first so many bytes survive a crash; only apply_persist() changes them.
    size_t durable_size;
    // How many initial worlds there are; NULL: one.
    uint32_t (*initial_count)(const CmcNode *node);
    // Write the first state of `node` in initial world `index`; `state` is zero. Effects may be asked
    // for: sends, timers, persists, wakes, replies.
    void (*init)(const CmcNode *node, uint32_t index, void *state, CmcOut *out);
    // Take one event.
    void (*step)(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out);
    // Put a record into the durable bytes; NULL if durable_size is 0.
    void (*apply_persist)(const CmcNode *node, void *durable, const uint8_t *record, size_t len);
    // NULL, or calibration mode: write the actions possible in `state`, one for each witness, to the
    // first `cap` of `actions`, and return how many there are. Each becomes CMC_EV_ACTION. There is
    // one node, nothing durable, and no effect.
    size_t (*direct_actions)(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap);
} CmcCore;

// The environment of a core.
typedef struct {
    // sizeof(CmcEnv).
    size_t size;
    // How many nodes, 1 to CMC_MAX_NODES; 0: one.
    uint8_t nodes;
    // A CmcNetwork.
    uint8_t network;
    // Budgets.
    uint8_t drops;
    uint8_t dups;
    uint8_t crashes;
    // Requests of clients, by node.
    uint8_t clients[CMC_MAX_NODES];
    // Caps: messages in flight (0: 64), entries of the reply log (0: 64), pending persists of a node
    // (0: 16). Going past one is the violation cap:messages, cap:replies, cap:persists.
    uint8_t max_messages;
    uint8_t max_replies;
    uint8_t max_persists;
    // The settings, copied.
    uint16_t settings_len;
    const uint8_t *settings;
} CmcEnv;

// One byte of settings that has a name, for `cmc --set NAME=VALUE`.
typedef struct {
    // Unlike the names of the environment: nodes, network, drops, dups, crashes, clients,
    // max_messages, max_replies, max_persists.
    const char *name;
    // Its default and its bounds.
    uint8_t value;
    uint8_t min;
    uint8_t max;
    // What it is, in a few words.
    const char *what;
} CmcParameter;

// How states and bytes are shown. Each function writes text of at most `cap` bytes with its NUL and
// returns the length that it has or would have, as snprintf() does; NULL: hexadecimal.
typedef struct {
    // sizeof(CmcFormat).
    size_t size;
    // A node's state as NAME=VALUE words, separated by spaces; a trace shows those that change.
    size_t (*state)(const CmcNode *node, const void *state, char *text, size_t cap);
    // A message, record or reply; `kind` is a CmcBytesKind.
    size_t (*bytes)(const CmcNode *node,
                    int kind,
                    const uint8_t *bytes,
                    size_t len,
                    char *text,
                    size_t cap);
    // An action of direct_actions().
    size_t (*action)(const CmcNode *node, const CmcEvent *action, char *text, size_t cap);
} CmcFormat;

// -- Worlds --

// A message that is on its way to a node.
typedef struct {
    // The node it goes to.
    uint8_t to;
    // The node that sent it, or -1.
    int16_t from;
    // The client that sent it, or -1.
    int16_t client;
    size_t len;
    const uint8_t *bytes;
} CmcMessage;

// One entry of the log of what clients were answered, in order of emission.
typedef struct {
    // The node that answered, or -1.
    int16_t node;
    // The client that was answered, or -1.
    int16_t client;
    size_t len;
    const uint8_t *bytes;
} CmcReply;

// How many nodes there are. This and all functions of worlds: threads many.
CmcStatus cmc_world_nodes(const CmcWorld *world, size_t *nodes);

// Whether a node runs.
CmcStatus cmc_world_alive(const CmcWorld *world, size_t node, bool *alive);

// The state of a core's node, aligned as the core wants it, or the content of a program's. Fails for
// a node that does not run. What it points to lives while the world does, as with all functions of
// worlds.
CmcStatus cmc_world_state(const CmcWorld *world,
                          size_t node,
                          const void **state,
                          size_t *len);

// The clock of a program's node, in microseconds since its start; 0 for a core.
CmcStatus cmc_world_clock(const CmcWorld *world, size_t node, int64_t *micros);

// What is left of a budget: "drops", "dups", "crashes", "timeouts", "restarts"; "clients 0" and so on
// for requests at node 0 of a core. Fails for one that the model does not have.
CmcStatus cmc_world_budget(const CmcWorld *world,
                           const char *name,
                           uint64_t *left);

// How many messages are on their way.
CmcStatus cmc_world_messages(const CmcWorld *world, size_t *count);

// One of the messages that are on their way, counted from 0.
CmcStatus cmc_world_message(const CmcWorld *world, size_t index, CmcMessage *message);

// How many replies clients got.
CmcStatus cmc_world_replies(const CmcWorld *world, size_t *count);

// One of the replies that clients got, the oldest being 0.
CmcStatus cmc_world_reply(const CmcWorld *world, size_t index, CmcReply *reply);

// The settings of a core. Fails for programs, which have none.
CmcStatus cmc_world_settings(const CmcWorld *world, const uint8_t **settings, size_t *len);

// -- Models --

// What a core file says beside its core: `cmc --core=FILE` reads the symbols cmc_core and
// cmc_setup.
typedef struct {
    // sizeof(CmcSetup).
    size_t size;
    // The environment as it is where the command line says nothing; its settings are not read. NULL:
    // one node and no budgets.
    const CmcEnv *env;
    // The settings: parameter i is byte i.
    const CmcParameter *parameters;
    // How many parameters there are.
    size_t parameter_count;
    // NULL, or a function that gives properties, constraints and a format to the model. It returns a
    // CmcStatus.
    int (*describe)(CmcModel *model);
} CmcSetup;

// A predicate on a world: invariants and their like. An accessor that fails in it makes the check an
// error. May be called on several threads at once when the search has several workers.
typedef bool (*CmcHolds)(void *user, const CmcWorld *world);

// A predicate on a step.
typedef bool (*CmcHoldsStep)(void *user, const CmcWorld *before, const CmcWorld *after);

// Make a model of a core, which is copied; what it points to must outlive the model. NULL for `env`
// is one node without budgets. Threads: any.
CmcStatus cmc_model_new(const CmcCore *core, const CmcEnv *env, CmcModel **model);

// Make a model of a core and its setup. `set` are `count` texts NAME=VALUE, as with cmc --set.
// Threads: any.
CmcStatus cmc_model_set_up(const CmcCore *core,
                           const CmcSetup *setup,
                           const char *const *set,
                           size_t count,
                           CmcModel **model);

// Make a model of the core file `path`, as cmc --core does. Threads: any.
CmcStatus cmc_model_open(const char *path, const char *const *set, size_t count, CmcModel **model);

// Make a model of the programs that the model file `path` describes. Threads: any.
CmcStatus cmc_model_load(const char *path, CmcModel **model);

// Add an invariant: it must hold in every world. Names are copied and unique. Threads: one.
CmcStatus cmc_model_invariant(CmcModel *model, const char *name, CmcHolds holds, void *user);

// Add a step property: it must hold on every transition. Threads: one.
CmcStatus cmc_model_step(CmcModel *model, const char *name, CmcHoldsStep holds, void *user);

// Add a property that must hold in at least one world of a complete search. Threads: one.
CmcStatus cmc_model_sometimes(CmcModel *model, const char *name, CmcHolds holds, void *user);

// Add a property that must hold at some time in every run that is weakly fair to the kinds of action
// in `fair` (bit 1 << CMC_DELIVER and so on); 0: all but clients and faults. Threads: one.
CmcStatus cmc_model_eventually(CmcModel *model,
                               const char *name,
                               CmcHolds holds,
                               void *user,
                               uint32_t fair);

// Add a state constraint: worlds where it does not hold are checked and dropped. Threads: one.
CmcStatus cmc_model_constraint(CmcModel *model, const char *name, CmcHolds holds, void *user);

// Say which worlds may end without being a deadlock. Threads: one.
CmcStatus cmc_model_terminal(CmcModel *model, const char *name, CmcHolds holds, void *user);

// Say how states and bytes of a core are shown; the structure is copied. Threads: one.
CmcStatus cmc_model_format(CmcModel *model, const CmcFormat *format);

// The settings that a core is run with; they live while the model does. Threads: one.
CmcStatus cmc_model_settings(const CmcModel *model, const uint8_t **settings, size_t *len);

// Free a model that no call is using. Threads: one.
void cmc_model_free(CmcModel *model);

// -- Histories --

// What order the operations of a history must be explained by.
typedef enum {
    // One in which an operation that ended before another began stands before it. The property is
    // called "linearizable".
    CMC_LINEARIZABLE = 0,
    // One in which each client's operations stand in the client's order. The property is called
    // "sequentially consistent".
    CMC_SEQUENTIAL = 1,
} CmcConsistency;

// What clients share.
typedef enum {
    // One register for each key: it holds a value or nothing.
    CMC_REGISTER = 0,
    // One queue for each key: first in, first out, of any length, empty at first.
    CMC_QUEUE = 1,
} CmcObject;

// What a reply in the log of a core means. A call is on the object `key`; an answer is to the call of
// the same client that was not answered yet.
typedef enum {
    // A call: what the register holds. Answers: CMC_OP_FOUND, CMC_OP_NONE.
    CMC_OP_READ = 1,
    // A call: hold `value`. Answer: CMC_OP_DONE.
    CMC_OP_WRITE = 2,
    // A call: hold nothing. Answers: CMC_OP_DONE, or CMC_OP_NONE if it held nothing.
    CMC_OP_DELETE = 3,
    // A call: hold `value` if it holds `old`. Answers: CMC_OP_DONE, CMC_OP_FAILED.
    CMC_OP_CAS = 4,
    // A call: put `value` at the end of the queue. Answer: CMC_OP_DONE.
    CMC_OP_ENQUEUE = 5,
    // A call: take the first value of the queue. Answers: CMC_OP_FOUND, CMC_OP_NONE.
    CMC_OP_DEQUEUE = 6,
    // A call that is left out, with its answer, whatever that is.
    CMC_OP_SKIP = 7,
    // An answer: it was done.
    CMC_OP_DONE = 16,
    // An answer: it was not done, because something else than `old` was there.
    CMC_OP_FAILED = 17,
    // An answer: `value` was there.
    CMC_OP_FOUND = 18,
    // An answer: nothing was there.
    CMC_OP_NONE = 19,
    // An answer to any call: nobody knows whether it was or will be done.
    CMC_OP_UNKNOWN = 20,
    // Nothing to the history: neither a call nor an answer.
    CMC_OP_IGNORE = 32,
} CmcOperationKind;

// A call or an answer. What its kind does not need is not looked at.
typedef struct {
    // A CmcOperationKind.
    uint8_t kind;
    // Bytes used of `key`; 0: there is one object only.
    uint8_t key_len;
    // Bytes used of `value`, 1 at least where one is needed.
    uint8_t value_len;
    // Bytes used of `old`, 1 at least where it is needed.
    uint8_t old_len;
    // Whose it is: any number. A client waits for the answer to one call before the next; a call whose
    // answer a crash may lose needs a client of its own.
    uint32_t client;
    // The object.
    uint8_t key[CMC_MAX_BYTES];
    // What is written, put or found. Sentences show it as text: a number is better written out.
    uint8_t value[CMC_MAX_BYTES];
    // What must be there for CMC_OP_CAS.
    uint8_t old[CMC_MAX_BYTES];
} CmcOperation;

// What must hold of the history that the log of a core is.
typedef struct {
    // sizeof(CmcHistory).
    size_t size;
    // A CmcConsistency.
    uint8_t consistency;
    // A CmcObject.
    uint8_t object;
    // Bytes of `initial`; 0: registers hold nothing at first.
    uint16_t initial_len;
    // What registers hold at first, copied.
    const uint8_t *initial;
    // Say in `operation`, which is zero, what `reply` means, and return 0; anything else when it cannot
    // be read, which makes the check an error. The answer depends on the reply only. May be called on
    // several threads at once when the search has several workers.
    int (*parse)(void *user, const CmcReply *reply, CmcOperation *operation);
    // What `parse` is given first.
    void *user;
} CmcHistory;

// Add the property that the history in the log of a core is linearizable or sequentially consistent.
// What `parse` needs must outlive the model. Threads: one.
CmcStatus cmc_model_history(CmcModel *model,
                            const CmcHistory *history);

// -- Searches --

// Audit no table hits.
#define CMC_AUDIT_NONE 65534

// Audit every learned step from every memory that its state has.
#define CMC_AUDIT_FULL 65535

// How to look at worlds.
typedef enum {
    // Breadth first: a shortest counterexample, and TLC's counts.
    CMC_SEARCH_BFS = 0,
    // Depth first, to a bound on depth, which is required.
    CMC_SEARCH_DFS = 1,
    // Depth first to 1, 2, 3 ... states, up to a bound on depth, which is required.
    CMC_SEARCH_ITERATIVE = 2,
    // Random walks; never a pass.
    CMC_SEARCH_SIMULATE = 3,
} CmcStrategy;

// How worlds of a process model are reached; see cmc(1).
typedef enum {
    CMC_BACK_END_LEARNED = 0,
    CMC_BACK_END_WHOLE_REPLAY = 1,
    CMC_BACK_END_ZYGOTE = 2,
} CmcBackEnd;

// How far a search is. Numbers that a strategy does not have are UINT64_MAX.
typedef struct {
    uint64_t distinct;
    uint64_t generated;
    uint64_t depth;
    uint64_t queue;
    uint64_t walks;
    double seconds;
} CmcProgress;

// How to search.
typedef struct {
    // sizeof(CmcSearch).
    size_t size;
    // A CmcStrategy.
    uint8_t strategy;
    // A CmcBackEnd; process models only.
    uint8_t back_end;
    // Run every step twice and compare; cores only.
    bool det;
    // Go on behind violations: report all violating worlds.
    bool all_violations;
    // A world without actions that no cmc_model_terminal() allows is the violation deadlock.
    bool deadlock;
    // Share of table hits to audit, in thousandths, or CMC_AUDIT_...; 0: 10. Process models only.
    uint16_t audit;
    // Threads that search; 0: one on each processor.
    uint32_t workers;
    // The states of a path, at most; 0: no bound, but 1000 for CMC_SEARCH_SIMULATE.
    uint64_t depth;
    // The worlds stored, at most; 0: no bound.
    uint64_t max_states;
    // Walks of CMC_SEARCH_SIMULATE.
    uint64_t walks;
    // The seed of everything drawn.
    uint64_t seed;
    // Walks that look for suspicious runs, for each cmc_model_eventually() that the search does not
    // decide; 0: none.
    uint64_t live;
    // cmc-preload.so; NULL: beside the library, or in cmc/ beside it. Process models only.
    const char *preload;
    // NULL, or called about twice a second, on the thread that called cmc_search(); false ends the
    // search, which is then incomplete.
    bool (*progress)(void *user, const CmcProgress *now);
    // What `progress` is given first.
    void *user;
} CmcSearch;

// Search; NULL for `how` is breadth first on all processors. Threads: one.
CmcStatus cmc_search(const CmcModel *model, const CmcSearch *how, CmcResult **result);

// Run the trace file `path` again on `model`. Of `how` only `preload` is read. A run that departs
// from the trace is CMC_ERR_TRACE. Threads: one.
CmcStatus cmc_replay(const CmcModel *model,
                     const char *path,
                     const CmcSearch *how,
                     CmcResult **result);

// -- Results --

// The answer of a check.
typedef enum {
    // A complete search: every property held.
    CMC_PASS = 1,
    // A property or a built-in rule is broken.
    CMC_VIOLATED = 2,
    // Nothing is broken as far as was looked, and not everything was looked at.
    CMC_INCOMPLETE = 3,
    // It could not be checked; cmc_result_why() says why.
    CMC_ERROR = 4,
} CmcVerdict;

// What happens in a step. Numbers from 15 on are for later kinds.
typedef enum {
    CMC_DELIVER = 1,
    CMC_DROP = 2,
    CMC_DUP = 3,
    CMC_FIRE = 4,
    CMC_FLUSH = 5,
    CMC_WAKE = 6,
    CMC_CLIENT = 7,
    CMC_CRASH = 8,
    CMC_RESET = 9,
    CMC_ACCEPT = 10,
    CMC_EOF = 11,
    CMC_TIMEOUT = 12,
    CMC_ACTION = 13,
    CMC_RESTART = 14,
} CmcActionKind;

// What was counted. Numbers that have no meaning for an outcome are UINT64_MAX.
typedef struct {
    uint64_t distinct;
    uint64_t generated;
    uint64_t depth;
    uint64_t queue_left;
    uint64_t violations;
    double seconds;
} CmcCounts;

// One step of a counterexample. Texts and world live while the result does.
typedef struct {
    // A CmcActionKind; 0 for the start.
    uint8_t kind;
    // The node that it concerns, or -1.
    int16_t node;
    // Its name in a trace; "" for the start.
    const char *action;
    // What happens, in words.
    const char *text;
    // The world behind it; NULL when the step broke a built-in rule and has none.
    const CmcWorld *world;
} CmcStep;

// All functions of results but free: threads many. Texts live while the result does.
CmcStatus cmc_result_verdict(const CmcResult *result, CmcVerdict *verdict);

// What cut the search short, or why the verdict is no pass, in a sentence; "" for a pass.
CmcStatus cmc_result_why(const CmcResult *result, const char **why);

// What was counted.
CmcStatus cmc_result_counts(const CmcResult *result, CmcCounts *counts);

// How often actions of a kind were generated; `kind` is a CmcActionKind.
CmcStatus cmc_result_receipt(const CmcResult *result, int kind, uint64_t *count);

// The bounds that cut something, counted from 0: "depth", "states", "interrupt".
CmcStatus cmc_result_bound(const CmcResult *result, size_t index, const char **bound);

// How many violations are told: 0 or 1, with all_violations up to 16. CmcCounts has the number of all.
CmcStatus cmc_result_violations(const CmcResult *result,
                                size_t *count);

// The name of the property that violation `index` breaks, and why.
CmcStatus cmc_result_violation(const CmcResult *result,
                               size_t index,
                               const char **property,
                               const char **why);

// The states of the counterexample of violation `index`, the start included; 0 for a property of
// cmc_model_sometimes(), which no run shows to be false.
CmcStatus cmc_result_steps(const CmcResult *result, size_t index, size_t *count);

// One step of the counterexample of violation `index`; 0 is the start.
CmcStatus cmc_result_step(const CmcResult *result, size_t index, size_t step, CmcStep *out);

// The whole result as text, as cmc(1) prints it.
CmcStatus cmc_result_text(const CmcResult *result, const char **text);

// The whole result as JSON.
CmcStatus cmc_result_json(const CmcResult *result, const char **json);

// Write the trace of violation `index` to the file `path`.
CmcStatus cmc_result_save(const CmcResult *result, size_t index, const char *path);

// Free a result. Threads: one.
void cmc_result_free(CmcResult *result);

#ifdef __cplusplus
}
#endif

#include "cmc_core.h"

#endif /* CMC_H */
