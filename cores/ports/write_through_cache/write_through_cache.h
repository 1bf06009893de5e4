/* The constants and the state of WriteThroughCache. */

#ifndef WRITE_THROUGH_CACHE_H
#define WRITE_THROUGH_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Settings: processors, addresses, values, and the length of the queue. */
enum { PROCS, ADRS, VALS, Q_LEN };
enum { MAX_PROCS = 3, MAX_ADRS = 4, MAX_VALS = 7, MAX_Q_LEN = 3 };
enum { RDY, BUSY, WAITING, DONE };
/* Actions. */
enum { REQ, RSP, RD_MISS, DO_RD, DO_WR, EVICT, MEM_Q_WR, MEM_Q_RD };

/* A value from 1 on, NO_VAL, or a request: its kind, its address, and the value of a write. */
typedef uint8_t Datum;
enum { NO_VAL = 0, RD = 0x40, WR = 0x80 };

typedef struct Entry {
    uint8_t proc;
    Datum request;
} Entry;

typedef struct State {
    Datum wmem[MAX_ADRS];
    uint8_t ctl[MAX_PROCS];
    Datum buf[MAX_PROCS];
    Datum cache[MAX_PROCS][MAX_ADRS];
    Entry memQ[MAX_Q_LEN];
    uint8_t memQ_len;
    /* What was last sent or replied over the interface of the memory. */
    Entry memInt;
} State;

static inline Datum make_request(unsigned kind, unsigned adr, unsigned value)
{
    return (Datum)(kind | adr << 3 | value);
}

static inline unsigned adr(Datum request)
{
    return request >> 3 & 3;
}

static inline unsigned val(Datum request)
{
    return request & 7;
}

#endif
