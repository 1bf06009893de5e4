/* A write-through cache for a shared memory, with a queue between them, of L. Lamport, Specifying
 * Systems, chapter 5. Counts: module MCWriteThroughCache, github tlaplus/Examples.
 *
 * Default (2 processors, 1 address, 2 values, QLen=1), with a deadlock check: TypeInvariant and
 * Coherence hold; 5196 distinct and 28170 generated states, depth 18. */

#include "../../calibration/actions.h"
#include "write_through_cache.h"

/* Every content of the memory. */
static uint32_t initial_count(const CmcNode *node)
{
    uint32_t count = 1;
    for (unsigned a = 0; a < node->settings[ADRS]; a++)
        count *= node->settings[VALS];
    return count;
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    const uint8_t *k = node->settings;
    State *s = state;
    (void)out;
    for (unsigned a = 0; a < k[ADRS]; a++, index /= k[VALS])
        s->wmem[a] = (Datum)(index % k[VALS] + 1);
}

static void list_requests(Actions *to, const uint8_t *k, unsigned p)
{
    for (unsigned a = 0; a < k[ADRS]; a++) {
        act1(to, REQ, p, make_request(RD, a, 0));
        for (unsigned v = 1; v <= k[VALS]; v++)
            act1(to, REQ, p, make_request(WR, a, v));
    }
}

static void list_working(Actions *to, const uint8_t *k, const State *s, unsigned p)
{
    Datum request = s->buf[p];
    bool room = s->memQ_len < k[Q_LEN];
    if (request & RD) {
        bool cached = s->cache[p][adr(request)] != NO_VAL;
        if (s->ctl[p] == BUSY && !cached && room)
            act(to, RD_MISS, p);
        if (cached)
            act(to, DO_RD, p);
    } else if (s->ctl[p] == BUSY && room) {
        act(to, DO_WR, p);
    }
}

static void list_processor(Actions *to, const uint8_t *k, const State *s, unsigned p)
{
    if (s->ctl[p] == RDY)
        list_requests(to, k, p);
    if (s->ctl[p] == DONE)
        act(to, RSP, p);
    if (s->ctl[p] == BUSY || s->ctl[p] == WAITING)
        list_working(to, k, s, p);
    for (unsigned a = 0; a < k[ADRS]; a++)
        if (s->ctl[p] != WAITING || adr(s->buf[p]) != a)
            act1(to, EVICT, p, a);
}

static size_t direct_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Actions to = {actions, cap, 0};
    for (unsigned p = 0; p < k[PROCS]; p++)
        list_processor(&to, k, s, p);
    if (s->memQ_len > 0)
        act(&to, s->memQ[0].request & WR ? MEM_Q_WR : MEM_Q_RD, s->memQ[0].proc);
    return to.count;
}

static void enqueue(State *s, unsigned p)
{
    s->memQ[s->memQ_len++] = (Entry){(uint8_t)p, s->buf[p]};
}

static void dequeue(State *s)
{
    s->memQ_len--;
    memmove(s->memQ, s->memQ + 1, s->memQ_len * sizeof *s->memQ);
    s->memQ[s->memQ_len] = (Entry){0, 0};
}

/* The memory as it will be when the queue is done. */
static Datum vmem(const State *s, unsigned a)
{
    Datum value = s->wmem[a];
    for (unsigned i = 0; i < s->memQ_len; i++)
        if (s->memQ[i].request & WR && adr(s->memQ[i].request) == a)
            value = (Datum)val(s->memQ[i].request);
    return value;
}

/* The writer's cache gets the value, and so does every other that has one for the address. */
static void write_caches(State *s, unsigned p)
{
    unsigned a = adr(s->buf[p]);
    for (unsigned q = 0; q < MAX_PROCS; q++)
        if (q == p || s->cache[q][a] != NO_VAL)
            s->cache[q][a] = (Datum)val(s->buf[p]);
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    uint8_t p = event->peer, witness = event->data[0];
    State *s = state;
    (void)node, (void)out;
    switch (event->id) {
    case REQ:
        s->memInt = (Entry){p, witness};
        s->buf[p] = witness;
        s->ctl[p] = BUSY;
        break;
    case RSP:
        s->memInt = (Entry){p, s->buf[p]};
        s->ctl[p] = RDY;
        break;
    case RD_MISS:
        enqueue(s, p);
        s->ctl[p] = WAITING;
        break;
    case DO_RD:
        s->buf[p] = s->cache[p][adr(s->buf[p])];
        s->ctl[p] = DONE;
        break;
    case DO_WR:
        enqueue(s, p);
        write_caches(s, p);
        s->buf[p] = NO_VAL;
        s->ctl[p] = DONE;
        break;
    case EVICT:
        s->cache[p][witness] = NO_VAL;
        break;
    case MEM_Q_WR:
        s->wmem[adr(s->memQ[0].request)] = (Datum)val(s->memQ[0].request);
        dequeue(s);
        break;
    default:
        s->cache[p][adr(s->memQ[0].request)] = vmem(s, adr(s->memQ[0].request));
        dequeue(s);
        break;
    }
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "WriteThroughCache",
    .state_size = sizeof(State),
    .initial_count = initial_count,
    .init = init,
    .step = step,
    .direct_actions = direct_actions,
};
