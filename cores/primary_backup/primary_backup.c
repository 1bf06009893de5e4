/* Primary and backup: P. A. Alsberg, J. D. Day, "A principle for resilient sharing of distributed
 * resources", ICSE 1976. What is between primary and client is a monitor: C. A. R. Hoare,
 * "Monitors: an operating system structuring concept", CACM 17(10), 1974, with the signals of Mesa
 * (B. W. Lampson, D. D. Redell, CACM 23(2), 1980), which are hints: who wakes looks again.
 *
 * Node 0 is the primary, the others are backups. Each request has a thread at the primary. It
 * answers when the request is on the primary's disk and on that of every backup, so that any node
 * may be lost; until then it sleeps. A backup writes all that came while it wrote at once, so that
 * one acknowledgement may be for several requests. Connections are reset, nodes crash. A primary
 * that crashed serves no more: who takes over is another protocol.
 *
 * expect: verdict=pass distinct=114740 generated=554781 depth=29
 * expect: set=crashes=0,drops=1 verdict=pass distinct=127307 generated=622958 depth=28
 * expect: set=nodes=2,clients.0=5,drops=2 verdict=pass distinct=357061 generated=2044055 depth=33
 * expect: set=nodes=4,clients.0=2,crashes=0 verdict=pass distinct=6303 generated=28635 depth=24
 * expect: bug=1 verdict=violated property="the thread of an acknowledged request is awake" trace_len=16 distinct=38700 generated=141534 depth=16 simulate_seed=1
 * expect: bug=2 verdict=violated property="the thread of an acknowledged request is awake" trace_len=9 distinct=1811 generated=4388 depth=9 simulate_seed=1
 * expect: bug=3 verdict=violated property="an answered request is on every disk" trace_len=3 distinct=8 generated=8 depth=3 simulate_seed=1
 * expect: bug=4 verdict=violated property="an answered request is on every disk" trace_len=7 distinct=503 generated=1005 depth=7 simulate_seed=1
 */

#include <cmc.h>

#include "primary_backup.h"

static void send_log(uint8_t to, uint8_t log, CmcOut *out)
{
    cmc_send(out, to, &log, sizeof log);
}

static void go_to_sleep(PrimaryBackup *self, uint8_t request)
{
    self->asleep = (uint8_t)(self->asleep | 1U << (request - 1));
}

static void wake(PrimaryBackup *self, uint8_t request, CmcOut *out)
{
    self->asleep = (uint8_t)(self->asleep & ~(1U << (request - 1)));
    cmc_wake(out, (uint8_t)(request - 1));
}

/* The thread of a request looks whether it can answer. */
static void look(const CmcNode *node, PrimaryBackup *self, uint8_t request, CmcOut *out)
{
    if (acknowledged_by_all(self, node->nodes) >= request)
        cmc_reply(out, &request, sizeof request);
    else
        go_to_sleep(self, request);
}

static void take_request(const CmcNode *node, PrimaryBackup *self, CmcOut *out)
{
    if (self->log == CMC_MAX_WAITERS)
        return;
    self->log++;
    cmc_persist(out, &self->log, sizeof self->log);
    for (uint8_t backup = PRIMARY + 1; backup < node->nodes; backup++)
        send_log(backup, self->log, out);
}

static void take_acknowledgement(PrimaryBackup *self, uint8_t backup, uint8_t log, CmcOut *out)
{
    if (log <= self->acknowledged[backup])
        return;
    self->acknowledged[backup] = log;
    for (uint8_t request = 1; request <= self->log; request++) {
        if (!is_asleep(self, request))
            continue;
        wake(self, request, out);
#if BUG == 1 /* One thread is woken; the acknowledgement may be for more. */
        break;
#endif
    }
}

/* The request is on the primary's own disk. */
static void finish_request(const CmcNode *node, PrimaryBackup *self, uint8_t request, CmcOut *out)
{
#if BUG == 2 /* It sleeps without a look: the last acknowledgement may have come before. */
    (void)node, (void)out;
    go_to_sleep(self, request);
#elif BUG == 3 /* It answers without the backups. */
    (void)node, (void)self;
    cmc_reply(out, &request, sizeof request);
#else
    look(node, self, request, out);
#endif
}

static void wake_up(const CmcNode *node, PrimaryBackup *self, uint8_t request, CmcOut *out)
{
#if BUG == 4 /* It takes the signal for a promise, and does not look again. */
    (void)node, (void)self;
    cmc_reply(out, &request, sizeof request);
#else
    look(node, self, request, out);
#endif
}

static void step_primary(const CmcNode *node, PrimaryBackup *self, const CmcEvent *event,
                         CmcOut *out)
{
    switch (event->kind) {
    case CMC_EV_CLIENT:
        take_request(node, self, out);
        break;
    case CMC_EV_MESSAGE:
        take_acknowledgement(self, event->peer, event->data[0], out);
        break;
    case CMC_EV_FLUSHED:
        finish_request(node, self, event->data[0], out);
        break;
    case CMC_EV_WAKE:
        wake_up(node, self, (uint8_t)(event->id + 1), out);
        break;
    case CMC_EV_RESET:
        send_log(event->peer, self->log, out);
        break;
    case CMC_EV_RESTART:
        self->retired = true;
        break;
    default:
        break;
    }
}

static void write_log(PrimaryBackup *self, CmcOut *out)
{
    self->writing = true;
    cmc_persist(out, &self->log, sizeof self->log);
}

static void take_log(PrimaryBackup *self, uint8_t log, CmcOut *out)
{
    if (log > self->log)
        self->log = log;
    if (self->writing)
        return;
    if (self->log > self->disk)
        write_log(self, out);
    else
        send_log(PRIMARY, self->disk, out);
}

static void finish_writing(PrimaryBackup *self, CmcOut *out)
{
    self->writing = false;
    send_log(PRIMARY, self->disk, out);
    if (self->log > self->disk)
        write_log(self, out);
}

static void step_backup(PrimaryBackup *self, const CmcEvent *event, CmcOut *out)
{
    switch (event->kind) {
    case CMC_EV_MESSAGE:
        take_log(self, event->data[0], out);
        break;
    case CMC_EV_FLUSHED:
        finish_writing(self, out);
        break;
    case CMC_EV_RESET: /* An acknowledgement may have been lost. */
        if (event->peer == PRIMARY)
            send_log(PRIMARY, self->disk, out);
        break;
    case CMC_EV_RESTART:
        self->log = self->disk;
        break;
    default:
        break;
    }
}

static void init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)index, (void)state, (void)out;
}

static void step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    PrimaryBackup *self = state;

    if (node->id != PRIMARY)
        step_backup(self, event, out);
    else if (!self->retired)
        step_primary(node, self, event, out);
}

static void apply_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    (void)node;
    memcpy(durable, record, len);
}

const CmcCore cmc_core = {
    .size = sizeof(CmcCore),
    .name = "primary_backup",
    .state_size = sizeof(PrimaryBackup),
    .durable_size = DURABLE_SIZE,
    .init = init,
    .step = step,
    .apply_persist = apply_persist,
};
