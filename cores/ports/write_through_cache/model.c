/* The parameters, invariants and traces of WriteThroughCache. */

#include "../../calibration/predicates.h"
#include "../../calibration/text.h"
#include "write_through_cache.h"

static bool is_datum(const uint8_t *k, Datum datum)
{
    if (!(datum & (RD | WR)))
        return datum <= k[VALS];
    return adr(datum) < k[ADRS] && (datum & WR ? val(datum) - 1 < k[VALS] : val(datum) == 0);
}

static bool type_invariant(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned p = 0; p < k[PROCS]; p++) {
        bool has_request = (s->buf[p] & (RD | WR)) != 0;
        if (s->ctl[p] > DONE || !is_datum(k, s->buf[p]))
            return false;
        if ((s->ctl[p] == BUSY || s->ctl[p] == WAITING) && !has_request)
            return false;
        for (unsigned a = 0; a < k[ADRS]; a++)
            if (s->cache[p][a] > k[VALS])
                return false;
    }
    return s->memQ_len <= k[Q_LEN];
}

/* Caches that have a value for an address have the same. */
static bool coherence(const uint8_t *k, const void *state)
{
    const State *s = state;
    for (unsigned a = 0; a < k[ADRS]; a++)
        for (unsigned p = 0; p < k[PROCS]; p++)
            for (unsigned q = 0; q < p; q++) {
                Datum one = s->cache[p][a], other = s->cache[q][a];
                if (one != NO_VAL && other != NO_VAL && one != other)
                    return false;
            }
    return true;
}

static const Predicate invariants[] = {
    {"TypeInvariant", type_invariant},
    {"Coherence", coherence},
};

static void add_datum(Text *to, Datum datum)
{
    if (datum & WR)
        text_add(to, "Wr(a%u,v%u)", adr(datum) + 1, val(datum));
    else if (datum & RD)
        text_add(to, "Rd(a%u)", adr(datum) + 1);
    else if (datum == NO_VAL)
        text_add(to, "NoVal");
    else
        text_add(to, "v%u", datum);
}

static void add_entry(Text *to, const Entry *entry)
{
    text_add(to, "p%u:", entry->proc + 1u);
    add_datum(to, entry->request);
}

static void add_processor(Text *to, const uint8_t *k, const State *s, unsigned p)
{
    static const char *const states[] = {"rdy", "busy", "waiting", "done"};
    text_add(to, " ctl[p%u]=%s buf[p%u]=", p + 1, states[s->ctl[p]], p + 1);
    add_datum(to, s->buf[p]);
    for (unsigned a = 0; a < k[ADRS]; a++) {
        text_add(to, " cache[p%u][a%u]=", p + 1, a + 1);
        add_datum(to, s->cache[p][a]);
    }
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "memInt=");
    add_entry(&to, &s->memInt);
    for (unsigned a = 0; a < k[ADRS]; a++)
        text_add(&to, " wmem[a%u]=v%u", a + 1, s->wmem[a]);
    text_add(&to, " memQ=<");
    for (unsigned i = 0; i < s->memQ_len; i++) {
        text_add(&to, "%s", i ? "," : "");
        add_entry(&to, &s->memQ[i]);
    }
    text_add(&to, ">");
    for (unsigned p = 0; p < k[PROCS]; p++)
        add_processor(&to, k, s, p);
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    static const char *const names[] = {"Req(p%u",  "Rsp(p%u",   "RdMiss(p%u", "DoRd(p%u",
                                        "DoWr(p%u", "Evict(p%u", "MemQWr(p%u", "MemQRd(p%u"};
    Text to = {text, cap, 0};
    (void)node;
    text_add(&to, names[action->id], action->peer + 1u);
    if (action->id == REQ) {
        text_add(&to, ",");
        add_datum(&to, action->data[0]);
    } else if (action->id == EVICT) {
        text_add(&to, ",a%u", action->data[0] + 1u);
    }
    text_add(&to, ")");
    return to.len;
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = format_state,
    .action = format_action,
};

static int describe(CmcModel *model)
{
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [PROCS] = {"Procs", 2, 1, MAX_PROCS, "processors"},
    [ADRS] = {"Adrs", 1, 1, MAX_ADRS, "addresses"},
    [VALS] = {"Vals", 2, 1, MAX_VALS, "values"},
    [Q_LEN] = {"QLen", 1, 1, MAX_Q_LEN, "the length of the queue"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
