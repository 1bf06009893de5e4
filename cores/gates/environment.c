/* Random walks. What can happen follows from what the core asked for and from budgets, as in the engine:
 * the core's states are never looked at. A walk ends where nothing can happen, where its length is
 * reached, and where the core breaks a limit, which the engine reports and this does not. */

#include "harness.h"

#include <string.h>

enum { IN_FLIGHT = 256, PENDING = 256, CHOICES = 4096 };

typedef struct Message {
    uint8_t to, from, len, data[CMC_MAX_BYTES];
} Message;

typedef struct Record {
    uint8_t len, data[CMC_MAX_BYTES];
} Record;

typedef struct Node {
    uint16_t timers;
    uint8_t wakes, resets, clients, clients_before;
    unsigned pending;
    Record records[PENDING]; // the oldest first
} Node;

typedef enum Kind { DELIVER, DUP, FIRE, FLUSH, WAKE, CLIENT, DROP, CRASH, RESET } Kind;

/* Something that can happen. `what` is a place among the messages, a timer, a waiter, a peer, or how many
 * records reach the disk. */
typedef struct Choice {
    Kind kind;
    uint8_t node;
    unsigned what;
} Choice;

static CmcEnv env;
static uint64_t random_state;
static bool is_over;
static Node nodes[CMC_MAX_NODES];
static Message messages[IN_FLIGHT]; // in the order of sending
static unsigned message_count, reply_count;
static Choice choices[CHOICES];
static unsigned choice_count;

/* splitmix64 */
static uint64_t random_below(uint64_t bound)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % bound;
}

static bool is_fifo(void)
{
    return env.network == CMC_NET_FIFO;
}

static unsigned cap(uint8_t given, unsigned otherwise)
{
    return given == 0 ? otherwise : given;
}

static void send(uint8_t from, const CmcEffect *effect)
{
    if (effect->to >= world.nodes || message_count == cap(env.max_messages, 64)) {
        is_over = true;
        return;
    }
    if (nodes[from].resets & 1u << effect->to)
        return; // into a connection that is gone
    Message *message = &messages[message_count++];
    message->to = effect->to;
    message->from = from;
    message->len = effect->len;
    memcpy(message->data, effect->data, effect->len);
}

static void persist(Node *node, const CmcEffect *effect)
{
    if (node->pending == cap(env.max_persists, 16)) {
        is_over = true;
        return;
    }
    Record *record = &node->records[node->pending++];
    record->len = effect->len;
    memcpy(record->data, effect->data, effect->len);
}

static void apply(uint8_t from, const CmcOut *out)
{
    Node *node = &nodes[from];
    is_over |= out->n > CMC_MAX_EFFECTS || (out->n > 0 && cmc_core.direct_actions != NULL);
    for (uint32_t i = 0; i < out->n && !is_over; i++) {
        const CmcEffect *effect = &out->o[i];
        if (effect->len > CMC_MAX_BYTES)
            is_over = true;
        else if (effect->kind == CMC_FX_SEND)
            send(from, effect);
        else if (effect->kind == CMC_FX_PERSIST)
            persist(node, effect);
        else if (effect->kind == CMC_FX_REPLY)
            is_over |= reply_count++ == cap(env.max_replies, 64);
        else if (effect->kind == CMC_FX_ARM && effect->id < CMC_MAX_TIMERS)
            node->timers |= (uint16_t)(1u << effect->id);
        else if (effect->kind == CMC_FX_CANCEL && effect->id < CMC_MAX_TIMERS)
            node->timers &= (uint16_t)~(1u << effect->id);
        else if (effect->kind == CMC_FX_WAKE && effect->id < CMC_MAX_WAITERS)
            node->wakes |= (uint8_t)(1u << effect->id);
        else
            is_over = true;
    }
}

static void step(uint8_t node, CmcEventKind kind, uint8_t peer, uint8_t id, const uint8_t *data, uint8_t len)
{
    CmcOut out;
    CmcEvent event = {.kind = (uint8_t)kind, .peer = peer, .id = id, .len = len};
    if (len > 0)
        memcpy(event.data, data, len);
    call_step(node, &event, &out);
    apply(node, &out);
}

static void offer(Kind kind, unsigned node, unsigned what)
{
    if (choice_count < CHOICES)
        choices[choice_count++] = (Choice){kind, (uint8_t)node, what};
}

static bool is_head(unsigned place)
{
    for (unsigned i = 0; i < place; i++)
        if (messages[i].to == messages[place].to && messages[i].from == messages[place].from)
            return false;
    return true;
}

static void offer_messages(void)
{
    for (unsigned i = 0; i < message_count; i++) {
        if (!is_fifo() || is_head(i))
            offer(DELIVER, messages[i].to, i);
        if (!is_fifo() && env.dups > 0)
            offer(DUP, messages[i].to, i);
        if (env.drops > 0 && (!is_fifo() || messages[i].to != messages[i].from))
            offer(DROP, messages[i].to, i);
    }
}

static void offer_all(void)
{
    choice_count = 0;
    offer_messages();
    for (unsigned n = 0; n < world.nodes; n++) {
        for (unsigned i = 0; i < CMC_MAX_TIMERS; i++)
            if (nodes[n].timers & 1u << i)
                offer(FIRE, n, i);
        for (unsigned i = 0; i < CMC_MAX_WAITERS; i++)
            if (nodes[n].wakes & 1u << i)
                offer(WAKE, n, i);
        for (unsigned i = 0; i < world.nodes; i++)
            if (nodes[n].resets & 1u << i)
                offer(RESET, n, i);
        if (nodes[n].pending > 0)
            offer(FLUSH, n, 0);
        if (nodes[n].clients > 0)
            offer(CLIENT, n, 0);
        if (env.crashes > 0)
            offer(CRASH, n, (unsigned)random_below(nodes[n].pending + 1u));
    }
}

static void remove_message(unsigned place)
{
    message_count--;
    memmove(&messages[place], &messages[place + 1], (message_count - place) * sizeof *messages);
}

static void deliver(unsigned place, bool is_kept)
{
    Message message = messages[place];
    if (!is_kept)
        remove_message(place);
    step(message.to, CMC_EV_MESSAGE, message.from, 0, message.data, message.len);
}

/* Empty the channels between two nodes. */
static void disconnect(uint8_t a, uint8_t b)
{
    for (unsigned i = message_count; i-- > 0;)
        if ((messages[i].to == a && messages[i].from == b) || (messages[i].to == b && messages[i].from == a))
            remove_message(i);
}

static void drop(unsigned place)
{
    uint8_t a = messages[place].to, b = messages[place].from;
    env.drops--;
    if (!is_fifo()) {
        remove_message(place);
        return;
    }
    disconnect(a, b);
    nodes[a].resets |= (uint8_t)(1u << b);
    nodes[b].resets |= (uint8_t)(1u << a);
}

/* The oldest record becomes durable. */
static Record flush(uint8_t id)
{
    Node *node = &nodes[id];
    Record record = node->records[0];
    node->pending--;
    memmove(&node->records[0], &node->records[1], node->pending * sizeof record);
    if (cmc_core.apply_persist != NULL)
        call_persist(id, record.data, record.len);
    return record;
}

static void crash(uint8_t id, unsigned reached)
{
    Node *node = &nodes[id];
    env.crashes--;
    for (unsigned i = 0; i < reached; i++)
        flush(id);
    node->timers = node->wakes = node->resets = 0;
    node->pending = 0;
    crash_state(id);
    for (uint8_t i = 0; i < world.nodes && is_fifo(); i++) {
        disconnect(id, i);
        if (i != id)
            nodes[i].resets |= (uint8_t)(1u << id);
    }
    step(id, CMC_EV_RESTART, 0, 0, NULL, 0);
}

static void happen(Choice choice)
{
    uint8_t what = (uint8_t)choice.what;
    Node *node = &nodes[choice.node];
    Record record;
    switch (choice.kind) {
    case DELIVER:
        deliver(choice.what, false);
        break;
    case DUP:
        env.dups--;
        deliver(choice.what, true);
        break;
    case FIRE:
        node->timers &= (uint16_t)~(1u << what);
        step(choice.node, CMC_EV_TIMER, 0, what, NULL, 0);
        break;
    case FLUSH:
        record = flush(choice.node);
        step(choice.node, CMC_EV_FLUSHED, 0, 0, record.data, record.len);
        break;
    case WAKE:
        node->wakes &= (uint8_t)~(1u << what);
        step(choice.node, CMC_EV_WAKE, 0, what, NULL, 0);
        break;
    case CLIENT:
        node->clients--;
        step(choice.node, CMC_EV_CLIENT, 0, node->clients_before++, NULL, 0);
        break;
    case DROP:
        drop(choice.what);
        break;
    case CRASH:
        crash(choice.node, choice.what);
        break;
    case RESET:
        node->resets &= (uint8_t)~(1u << what);
        step(choice.node, CMC_EV_RESET, what, 0, NULL, 0);
        break;
    }
}

/* In calibration mode the core lists what can happen. */
static bool act(void)
{
    static CmcEvent actions[CMC_MAX_ACTIONS];
    CmcOut out;
    size_t count = call_actions(0, actions);
    if (count == 0 || count > CMC_MAX_ACTIONS)
        return false;
    call_step(0, &actions[random_below(count)], &out);
    apply(0, &out);
    return !is_over;
}

/* Every second walk has other settings than the model's own, within their bounds and such as the model
 * accepts, but for those that the command line sets. */
static void choose_settings(uint64_t seed)
{
    World kept = world;
    if (&cmc_setup == NULL || seed % 2 != 0)
        return;
    for (int attempt = 0; attempt < 8; attempt++) {
        for (size_t i = 0; i < cmc_setup.parameter_count; i++) {
            const CmcParameter *parameter = &cmc_setup.parameters[i];
            if (!world.is_set[i])
                world.settings[i] = (uint8_t)(parameter->min + random_below(parameter->max - parameter->min + 1u));
        }
        if (are_settings_accepted())
            return;
        world = kept;
    }
}

static void begin(void)
{
    uint32_t worlds = call_initial_count();
    if (worlds == 0)
        cannot("it has no initial world");
    uint32_t index = (uint32_t)random_below(worlds);
    for (uint8_t i = 0; i < world.nodes; i++) {
        memset(&nodes[i], 0, sizeof nodes[i]);
        nodes[i].clients = env.clients[i];
    }
    for (uint8_t i = 0; i < world.nodes; i++) {
        CmcOut out;
        call_init(i, index, &out);
        apply(i, &out);
    }
}

void walk(const CmcEnv *given, uint64_t seed, unsigned length)
{
    World kept = world;
    env = *given;
    random_state = seed;
    is_over = false;
    message_count = reply_count = 0;
    forget_states();
    choose_settings(seed);
    record_world();
    begin();
    for (unsigned i = 0; i < length && !is_over; i++) {
        if (cmc_core.direct_actions != NULL) {
            is_over |= !act();
            continue;
        }
        offer_all();
        if (choice_count == 0)
            break;
        happen(choices[random_below(choice_count)]);
    }
    world = kept;
}
