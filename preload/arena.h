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

#define CMC_PAGE ((size_t)4096)
/* Every object starts on a multiple of this. */
#define CMC_ALIGN ((size_t)16)
/* Bytes behind every object that belong to no object. */
#define CMC_GAP ((size_t)16)
/* The largest object that shares its pages with others. */
#define CMC_SMALL_MAX ((size_t)2048)
#define CMC_CLASSES 24
/* Pages that one table of page records covers: a table is one page. */
#define CMC_TABLE_PAGES ((uint32_t)256)
#define CMC_TABLES (CMC_ARENA_SIZE / (CMC_TABLE_PAGES * CMC_PAGE))

/* What a byte holds: given by malloc and not yet written; given back; between objects. */
#define CMC_FILL_NEW 0xa5
#define CMC_FILL_FREE 0xdb
#define CMC_FILL_GAP 0xe7

/* Page 0. */
struct cmc_header {
	uint64_t magic;			    /* CMC_ARENA_MAGIC */
	uint64_t used;			    /* at CMC_ARENA_USED: no byte from here on was touched */
	uint32_t lock;			    /* 0 whenever the program is in a system call */
	uint32_t free_first;		    /* page of the lowest free run */
	uint32_t meta_next;		    /* offsets: where the next slab record goes, */
	uint32_t meta_end;		    /* and where its pages end */
	uint32_t class_free[CMC_CLASSES];   /* offset of the slot given back last */
	uint32_t class_slab[CMC_CLASSES];   /* offset of the record of the newest slab */
	uint32_t tables;		    /* how many MiB have page records, */
	uint32_t table[CMC_TABLES];	    /* and the offset of the records of each */
};

enum cmc_page_kind {
	CMC_PAGE_NONE = 0, /* not in use, or inside a free run */
	CMC_PAGE_META = 1, /* header, page records, slab records */
	CMC_PAGE_SLAB = 2, /* ref = offset of the slab's record */
	CMC_PAGE_LARGE = 3, /* first page of one object: span, ref = bytes asked for, aligned */
	CMC_PAGE_BODY = 4, /* a later page of one object: ref = its first page */
	CMC_PAGE_FREE = 5, /* first page of a free run: span, ref = page of the next free run */
};

struct cmc_page {
	uint32_t kind;
	uint32_t span; /* pages in this object or run */
	uint32_t ref;
	uint32_t aligned; /* 1: made with an alignment of its own */
};

enum cmc_slot_state { CMC_SLOT_FRESH = 0, CMC_SLOT_LIVE = 1, CMC_SLOT_FREE = 2 };

struct cmc_slot {
	uint32_t size_or_next; /* live: bytes asked for; free: offset of the slot given back before */
	uint16_t lead;	       /* live: bytes from the slot's start to the object's */
	uint8_t state;
	uint8_t aligned; /* as in struct cmc_page */
};

struct cmc_slab {
	uint32_t start; /* offset of slot 0 */
	uint32_t stride; /* bytes from slot to slot: those of the class and the gap */
	uint16_t class;
	uint16_t slots;
	uint16_t fresh; /* slots from this one on were never given */
	uint16_t zero;
	struct cmc_slot slot[];
};

_Static_assert(offsetof(struct cmc_header, magic) == 0, "the magic word is word 0");
_Static_assert(offsetof(struct cmc_header, used) == CMC_ARENA_USED, "the contract says where");
_Static_assert(sizeof(struct cmc_header) <= CMC_PAGE, "the header is one page");
_Static_assert(sizeof(struct cmc_page) * CMC_TABLE_PAGES == CMC_PAGE, "a table is one page");
_Static_assert(sizeof(struct cmc_slot) == 8 && sizeof(struct cmc_slab) == 16, "no padding");
_Static_assert(CMC_ARENA_SIZE <= UINT32_MAX, "offsets fit 32 bits");

/* A live object, as cmc_arena_find answers it. */
struct cmc_object {
	uint8_t *at;
	size_t size;		/* bytes asked for */
	size_t room;		/* bytes from `at` to the end of its slot or run, gap included */
	bool aligned;
	uint32_t page;		/* first page of a large object, else 0 */
	struct cmc_slab *slab;	/* of a small object, else NULL, */
	uint32_t index;		/* and its slot */
};

/* Map the arena if that was not done yet; ends the program when the address is taken. */
void cmc_arena_map(void);
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
