/*
 * The arena as it lies in memory, for the allocator and for whoever reads a stopped program, and the
 * allocator's operations. Offsets count bytes from CMC_ARENA_BASE, page numbers pages of 4 KiB; 0 is
 * "none" in both, since page 0 is the header. Every operation but cmc_arena_map and cmc_arena_enter
 * is made between enter and leave.
 */
#ifndef CMC_ARENA_H
#define CMC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"

#define CMC_TABLES (CMC_ARENA_SIZE / (CMC_TABLE_PAGES * CMC_PAGE))

/* Page 0. */
struct cmc_header {
	uint64_t magic;			    /* CMC_ARENA_MAGIC */
	uint64_t used;			    /* at CMC_ARENA_USED: no byte from here on was touched */
	uint32_t lock;			    /* 0 whenever the program is in a system call */
	uint32_t placement;		    /* CMC_PLACEMENT_... */
	uint32_t placed;		    /* pages before this one are from before the hello */
	uint32_t free_first;		    /* page of the lowest free run */
	uint32_t meta_next;		    /* offsets: where the next slab record goes, */
	uint32_t meta_end;		    /* and where its pages end */
	uint32_t class_free[CMC_CLASSES];   /* offset of the slot given back last */
	uint32_t class_slab[CMC_CLASSES];   /* offset of the record of the newest slab */
	uint32_t tables;		    /* how many MiB have page records, */
	uint32_t table[CMC_TABLES];	    /* and the offset of the records of each */
};

struct cmc_page {
	uint32_t kind; /* CMC_PAGE_... */
	uint32_t span; /* pages in this object or run */
	uint32_t ref;
	uint16_t lead;	  /* bytes from the page's start to the object's */
	uint16_t aligned; /* 1: made with an alignment of its own */
};

struct cmc_slot {
	uint32_t size_or_next; /* live: bytes asked for; free: offset of the slot given back before */
	uint16_t lead;	       /* live: bytes from the slot's start to the object's */
	uint8_t state;	       /* CMC_SLOT_... */
	uint8_t aligned;       /* as in struct cmc_page */
};

struct cmc_slab {
	uint32_t start; /* offset of slot 0 */
	uint32_t stride; /* bytes from slot to slot: those of the class and the gap */
	uint16_t class;
	uint16_t slots; /* a power of two where they are not taken in order */
	uint16_t taken; /* slots that were ever given, */
	uint16_t limit; /* and that will ever be */
	struct cmc_slot slot[];
};

#define CMC_LIES(type, field, at) \
	_Static_assert(offsetof(struct type, field) == (at), "the contract says where " #field " lies")
CMC_LIES(cmc_header, magic, 0);
CMC_LIES(cmc_header, used, CMC_ARENA_USED);
CMC_LIES(cmc_header, lock, CMC_HEADER_AT_LOCK);
CMC_LIES(cmc_header, placement, CMC_HEADER_AT_PLACEMENT);
CMC_LIES(cmc_header, placed, CMC_HEADER_AT_PLACED);
CMC_LIES(cmc_header, free_first, CMC_HEADER_AT_FREE_FIRST);
CMC_LIES(cmc_header, meta_next, CMC_HEADER_AT_META_NEXT);
CMC_LIES(cmc_header, meta_end, CMC_HEADER_AT_META_END);
CMC_LIES(cmc_header, class_free, CMC_HEADER_AT_CLASS_FREE);
CMC_LIES(cmc_header, class_slab, CMC_HEADER_AT_CLASS_SLAB);
CMC_LIES(cmc_header, tables, CMC_HEADER_AT_TABLES);
CMC_LIES(cmc_header, table, CMC_HEADER_AT_TABLE);
CMC_LIES(cmc_page, kind, CMC_RECORD_AT_KIND);
CMC_LIES(cmc_page, span, CMC_RECORD_AT_SPAN);
CMC_LIES(cmc_page, ref, CMC_RECORD_AT_REF);
CMC_LIES(cmc_page, lead, CMC_RECORD_AT_LEAD);
CMC_LIES(cmc_page, aligned, CMC_RECORD_AT_ALIGNED);
CMC_LIES(cmc_slab, start, CMC_SLAB_AT_START);
CMC_LIES(cmc_slab, stride, CMC_SLAB_AT_STRIDE);
CMC_LIES(cmc_slab, class, CMC_SLAB_AT_CLASS);
CMC_LIES(cmc_slab, slots, CMC_SLAB_AT_SLOTS);
CMC_LIES(cmc_slab, taken, CMC_SLAB_AT_TAKEN);
CMC_LIES(cmc_slab, limit, CMC_SLAB_AT_LIMIT);
CMC_LIES(cmc_slab, slot, CMC_SLAB_BYTES);
CMC_LIES(cmc_slot, size_or_next, CMC_SLOT_AT_SIZE_OR_NEXT);
CMC_LIES(cmc_slot, lead, CMC_SLOT_AT_LEAD);
CMC_LIES(cmc_slot, state, CMC_SLOT_AT_STATE);
CMC_LIES(cmc_slot, aligned, CMC_SLOT_AT_ALIGNED);
_Static_assert(sizeof(struct cmc_header) <= CMC_PAGE, "the header is one page");
_Static_assert(sizeof(struct cmc_page) == CMC_RECORD_BYTES, "no padding");
_Static_assert(sizeof(struct cmc_page) * CMC_TABLE_PAGES == CMC_PAGE, "a table is one page");
_Static_assert(sizeof(struct cmc_slot) == CMC_SLOT_BYTES, "no padding");
_Static_assert(sizeof(struct cmc_slab) == CMC_SLAB_BYTES, "no padding");
_Static_assert(CMC_ARENA_SIZE <= UINT32_MAX, "offsets fit 32 bits");

/* A live object, as cmc_arena_find answers it. */
struct cmc_object {
	uint8_t *at;
	size_t size;		/* bytes asked for */
	size_t room;		/* bytes from `at` to where its gap ends */
	bool aligned;
	uint32_t page;		/* first page of a large object, else 0 */
	struct cmc_slab *slab;	/* of a small object, else NULL, */
	uint32_t index;		/* and its slot */
};

/* Map the arena if that was not done yet; ends the program when the address is taken. */
void cmc_arena_map(void);
/* Whatever is given from here on is placed in this way; older places are never given again. */
void cmc_arena_place(bool permuted);
/* Begin and end a sequence of the operations below; maps the arena if need be. */
void cmc_arena_enter(void);
void cmc_arena_leave(void);
/*
 * A new object of `size` bytes on a multiple of `align` (a power of two), zeroed or filled; NULL if
 * the arena has no room.
 */
void *cmc_arena_take(size_t size, size_t align, bool zero);
/* Whether a live object starts at this address, and which. */
bool cmc_arena_find(const void *address, struct cmc_object *object);
/* Whether every byte between this object and the next slot is as it was left. */
bool cmc_arena_gap_is_whole(const struct cmc_object *object);
/* Another size in the same place, if an object of that size would be given the same kind of slot. */
bool cmc_arena_resize(struct cmc_object *object, size_t size);
void cmc_arena_give(const struct cmc_object *object);

/* Say on descriptor 2 what is wrong with the address, and abort. */
_Noreturn void cmc_die(const char *what, uintptr_t address);

#endif
