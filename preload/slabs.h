/*
 * Slabs: slots of one class of sizes in a run of pages. All of it is state in the arena, and none of
 * it may be called without having entered the arena.
 */
#ifndef CMC_SLABS_H
#define CMC_SLABS_H

#include "arena.h"

/* The class of a size of at most CMC_SMALL_MAX. */
uint32_t cmc_class_of(size_t size);
/* The slab of an offset in a page of kind CMC_PAGE_SLAB. */
struct cmc_slab *cmc_slab_of(size_t offset);
/* The slot that the next object of a class is given: the one given back last, else a fresh one. */
bool cmc_take_slot(uint32_t class, struct cmc_slab **slab, uint32_t *index);
/* Fill a slot and put it first among those that its class gives again. */
void cmc_give_slot(struct cmc_slab *slab, uint32_t index);
/* No slot of the slabs that there are is given from here on. */
void cmc_retire_slots(void);

#endif
