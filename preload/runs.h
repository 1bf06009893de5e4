/*
 * Runs of pages, on which slabs and large objects are built. All of it is state in the arena, and
 * none of it may be called without having entered the arena.
 */
#ifndef CMC_RUNS_H
#define CMC_RUNS_H

#include "arena.h"

static inline uint8_t *byte_at(size_t offset)
{
	return (uint8_t *)CMC_ARENA_BASE + offset;
}

static inline struct cmc_header *header(void)
{
	return (struct cmc_header *)CMC_ARENA_BASE;
}

static inline size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static inline bool permuted(void)
{
	return header()->placement == CMC_PLACEMENT_PERMUTED;
}

/* The record of a page below the mark. */
struct cmc_page *cmc_page_record(uint32_t page);
/* Give so many pages the same record. */
void cmc_mark(uint32_t page, uint32_t pages, struct cmc_page record);
/*
 * The first page of a run, not yet marked; 0 if none fits. Each of its pages was filled when it was
 * given back, or is zero.
 */
uint32_t cmc_take_run(uint32_t pages);
/* Fill a run and make it free. */
void cmc_give_run(uint32_t page, uint32_t pages);

#endif
