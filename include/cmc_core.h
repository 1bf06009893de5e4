/* What a core asks of the engine. Included by cmc.h. Each function counts, and none truncates: the
 * engine judges what was asked for, so that going past a limit is a violation and never a loss. They
 * call nothing but memcpy(). */

#ifndef CMC_CORE_H
#define CMC_CORE_H

#include <string.h>

#include "cmc.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void cmc_emit(CmcOut *out, CmcEffectKind kind, uint8_t to, uint8_t id,
                            const void *bytes, size_t len)
{
    if (out->n < CMC_MAX_EFFECTS) {
        CmcEffect *effect = &out->o[out->n];
        effect->kind = (uint8_t)kind;
        effect->to = to;
        effect->id = id;
        effect->len = len > CMC_MAX_BYTES ? 255 : (uint8_t)len;
        if (len > 0 && len <= CMC_MAX_BYTES)
            memcpy(effect->data, bytes, len);
    }
    out->n++;
}

/* Send a message to a node. */
static inline void cmc_send(CmcOut *out, uint8_t to, const void *bytes, size_t len)
{
    cmc_emit(out, CMC_FX_SEND, to, 0, bytes, len);
}

/* Arm a timer; one that is armed stays armed. */
static inline void cmc_arm(CmcOut *out, uint8_t timer)
{
    cmc_emit(out, CMC_FX_ARM, 0, timer, NULL, 0);
}

/* Cancel a timer; one that is not armed stays so. */
static inline void cmc_cancel(CmcOut *out, uint8_t timer)
{
    cmc_emit(out, CMC_FX_CANCEL, 0, timer, NULL, 0);
}

/* Write a record to the disk: pending until CMC_EV_FLUSHED, in order. */
static inline void cmc_persist(CmcOut *out, const void *record, size_t len)
{
    cmc_emit(out, CMC_FX_PERSIST, 0, 0, record, len);
}

/* Wake a waiter: CMC_EV_WAKE will come once, however often it is woken before. */
static inline void cmc_wake(CmcOut *out, uint8_t waiter)
{
    cmc_emit(out, CMC_FX_WAKE, 0, waiter, NULL, 0);
}

/* Answer a client: append to the reply log. */
static inline void cmc_reply(CmcOut *out, const void *bytes, size_t len)
{
    cmc_emit(out, CMC_FX_REPLY, 0, 0, bytes, len);
}

#ifdef __cplusplus
}
#endif

#endif /* CMC_CORE_H */
