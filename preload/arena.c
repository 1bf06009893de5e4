/*
 * The heap at a fixed address. Invariant: every byte of the arena, and so every address given, is a
 * function of the sequence of calls and of what the program wrote; everything that the allocator
 * remembers lies in the arena below the `used` mark.
 *
 * Determinism. No clock, no random number, no thread or processor number, no address from elsewhere
 * enters a decision. A size class gives back the slot freed last (LIFO) and else the next slot never
 * given; runs of pages are taken at the lowest address that fits (first fit) and coalesced when given
 * back, so that which runs are free depends on which are held and not on the order of the frees.
 * Bytes not written by the program have one of four values, by what they are: new, free, gap, or
 * zero (asked for by calloc, or never given).
 *
 * Placement. Which of two it is, is said once, before the program runs, and stands in the header.
 * The first takes slots upward and runs at the lowest address. In the permuted one every answer is
 * another address, and all else the same: an object has the same size, contents and fate, a slab of
 * the same class is begun at the same moment for as many objects, and the free slots of a class are
 * as many and come back in the same order, so that "class and place in the order of reuse" names
 * the same slot in both. What differs:
 * - Slots of a slab are taken out of order; slabs.c says how, and why neither a stored distance nor
 *   a stored exclusive or of two addresses can look alike in both.
 * - A large object starts LARGE_LEAD bytes behind a page, in a run of twice the pages, and runs are
 *   taken at the highest address, so that their order and their distances differ too.
 * Objects aligned by hand beyond 16 lie on multiples of their alignment in both; of these, and of
 * objects of different slabs, the above holds but by chance. Objects that are older than the choice
 * keep their addresses, and what is freed of them is never given again.
 *
 * Metadata. Page records and slab records lie in pages of their own (CMC_PAGE_META), never between
 * objects: an object that overruns meets a gap and then another object, and a reader can tell for
 * any address which object, live or free, it falls in. Behind every object are at least 16 bytes of
 * gap, so that the address one past its end is not the start of another.
 *
 * Identity. Of a live object: address, bytes asked for, whether it was aligned by hand, contents. Of
 * the rest: the order in which free slots will be reused. Whether realloc moves an object depends on
 * the two sizes alone, never on its neighbours or its address, and the size reported is the size
 * asked for; so two heaps that differ only by a renaming of objects stay so.
 *
 * Limits. The permuted placement needs two to four times the room. A slab stays with its class when
 * all its slots are free, and records stay where they are: a full arena may hold free space of
 * another shape. A threaded program is served under one spin lock; a fork while another thread holds
 * it leaves it held in the child.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "arena.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "raw.h"
#include "runs.h"
#include "slabs.h"

/*
 * The one word outside the arena: whether the arena is there cannot be read from the arena. Written
 * once, before any constructor has run.
 */
static uint32_t mapped;

/* Objects. */

/* Pages of a large object in the first placement. */
static uint32_t pages_of(size_t size)
{
	return (uint32_t)(round_up(size + CMC_GAP, CMC_PAGE) / CMC_PAGE);
}

/*
 * Where a large object starts in the permuted placement, which no object of the first does that is
 * not aligned by hand: an odd multiple of 16 in the middle of a page.
 */
enum { LARGE_LEAD = 2064 };

static void *take_small(uint32_t class, size_t size, size_t align, bool zero)
{
	struct cmc_slab *slab;
	uint32_t index;
	if (!cmc_take_slot(class, &slab, &index))
		return NULL;
	size_t slot = slab->start + (size_t)index * slab->stride;
	size_t lead = round_up(slot, align) - slot;
	slab->slot[index] = (struct cmc_slot){.size_or_next = (uint32_t)size,
					      .lead = (uint16_t)lead,
					      .state = CMC_SLOT_LIVE,
					      .aligned = align > CMC_ALIGN};
	uint8_t *at = byte_at(slot + lead);
	memset(byte_at(slot), CMC_FILL_GAP, lead);
	memset(at, zero ? 0 : CMC_FILL_NEW, size);
	memset(at + size, CMC_FILL_GAP, slab->stride - lead - size);
	return at;
}

/* Bytes from the start of a large object to where its gap ends. */
static size_t large_room(size_t size, size_t lead)
{
	return (pages_of(size) + (lead != 0)) * CMC_PAGE - lead;
}

static void *take_large(size_t size, size_t align, bool zero)
{
	uint32_t span = permuted() ? 2 * pages_of(size) : pages_of(size);
	size_t lead = permuted() && align <= CMC_ALIGN ? LARGE_LEAD : 0;
	/* Alignment beyond a page: take the run that surely holds such a place, give back the rest. */
	uint32_t step = align > CMC_PAGE ? (uint32_t)(align / CMC_PAGE) : 1;
	uint64_t used_before = header()->used;
	uint32_t taken = cmc_take_run(span + step - 1);
	if (taken == 0)
		return NULL;
	uint32_t page = (uint32_t)round_up(taken, step);
	cmc_give_run(taken, page - taken);
	cmc_give_run(page + span, taken + step - 1 - page);

	cmc_mark(page, 1, (struct cmc_page){.kind = CMC_PAGE_LARGE,
					.span = span,
					.ref = (uint32_t)size,
					.lead = (uint16_t)lead,
					.aligned = align > CMC_ALIGN});
	cmc_mark(page + 1, span - 1, (struct cmc_page){.kind = CMC_PAGE_BODY, .ref = page});
	uint8_t *at = byte_at(page * CMC_PAGE + lead);
	memset(at - lead, CMC_FILL_GAP, lead);
	/* Pages that were behind the mark are zero, and a program may count on not touching them. */
	if (!zero)
		memset(at, CMC_FILL_NEW, size);
	else if (page * CMC_PAGE < used_before)
		memset(at, 0, size);
	memset(at + size, CMC_FILL_GAP, large_room(size, lead) - size);
	return at;
}

void *cmc_arena_take(size_t size, size_t align, bool zero)
{
	if (size >= CMC_ARENA_SIZE || align >= CMC_ARENA_SIZE)
		return NULL;
	if (align < CMC_ALIGN)
		align = CMC_ALIGN;
	/* A slot starts on a multiple of 16: this many bytes hold an aligned object wherever it is. */
	size_t room = size + align - CMC_ALIGN;
	if (room <= CMC_SMALL_MAX)
		return take_small(cmc_class_of(room), size, align, zero);
	return take_large(size, align, zero);
}

bool cmc_arena_find(const void *address, struct cmc_object *object)
{
	size_t offset = (uintptr_t)address - CMC_ARENA_BASE;
	if (offset >= header()->used)
		return false;
	uint32_t page = (uint32_t)(offset / CMC_PAGE);
	const struct cmc_page *record = cmc_page_record(page);
	*object = (struct cmc_object){.at = byte_at(offset)};
	if (record->kind == CMC_PAGE_LARGE && offset % CMC_PAGE == record->lead) {
		object->size = record->ref;
		object->room = large_room(record->ref, record->lead);
		object->aligned = record->aligned != 0;
		object->page = page;
		return true;
	}
	if (record->kind != CMC_PAGE_SLAB)
		return false;
	struct cmc_slab *slab = cmc_slab_of(offset);
	size_t index = (offset - slab->start) / slab->stride;
	if (index >= slab->slots)
		return false;
	const struct cmc_slot *slot = &slab->slot[index];
	if (slot->state != CMC_SLOT_LIVE || offset != slab->start + index * slab->stride + slot->lead)
		return false;
	object->size = slot->size_or_next;
	object->room = slab->stride - slot->lead;
	object->aligned = slot->aligned != 0;
	object->slab = slab;
	object->index = (uint32_t)index;
	return true;
}

bool cmc_arena_gap_is_whole(const struct cmc_object *object)
{
	for (size_t i = object->size; i < object->room; i++)
		if (object->at[i] != CMC_FILL_GAP)
			return false;
	return true;
}

bool cmc_arena_resize(struct cmc_object *object, size_t size)
{
	/* How far an aligned object lies in its slot depends on where the slot is: it always moves. */
	if (object->aligned || size >= CMC_ARENA_SIZE)
		return false;
	if (object->slab != NULL) {
		if (size > CMC_SMALL_MAX || cmc_class_of(size) != object->slab->class)
			return false;
		object->slab->slot[object->index].size_or_next = (uint32_t)size;
	} else {
		if (size <= CMC_SMALL_MAX || pages_of(size) != pages_of(object->size))
			return false;
		cmc_page_record(object->page)->ref = (uint32_t)size;
	}
	if (size > object->size)
		memset(object->at + object->size, CMC_FILL_NEW, size - object->size);
	else
		memset(object->at + size, CMC_FILL_GAP, object->size - size);
	object->size = size;
	return true;
}

void cmc_arena_give(const struct cmc_object *object)
{
	if (object->slab != NULL)
		cmc_give_slot(object->slab, object->index);
	else
		cmc_give_run(object->page, cmc_page_record(object->page)->span);
}

/* The arena as a whole. */

void cmc_arena_map(void)
{
	if (mapped != 0)
		return;
	long at = cmc_raw6(SYS_mmap, (long)CMC_ARENA_BASE, (long)CMC_ARENA_SIZE,
			   PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	/* A kernel before 4.17 takes the address for a hint. */
	if (at != (long)CMC_ARENA_BASE)
		cmc_die("the address space for the heap is taken or limited", CMC_ARENA_BASE);
	mapped = 1;
	header()->magic = CMC_ARENA_MAGIC;
	header()->tables = 1;
	header()->table[0] = CMC_PAGE;
	header()->used = 2 * CMC_PAGE;
	cmc_mark(0, 2, (struct cmc_page){.kind = CMC_PAGE_META, .span = 1});
}

void cmc_arena_place(bool permuted)
{
	cmc_arena_enter();
	struct cmc_header *arena = header();
	arena->placement = permuted ? CMC_PLACEMENT_PERMUTED : CMC_PLACEMENT_FIRST;
	arena->placed = (uint32_t)(arena->used / CMC_PAGE);
	for (uint32_t page = arena->free_first; page != 0;) {
		uint32_t next = cmc_page_record(page)->ref;
		*cmc_page_record(page) = (struct cmc_page){.kind = CMC_PAGE_NONE};
		page = next;
	}
	arena->free_first = 0;
	cmc_retire_slots();
	cmc_arena_leave();
}

void cmc_arena_enter(void)
{
	cmc_arena_map();
	while (__atomic_exchange_n(&header()->lock, 1, __ATOMIC_ACQUIRE) != 0)
		cmc_raw3(SYS_sched_yield, 0, 0, 0);
}

void cmc_arena_leave(void)
{
	__atomic_store_n(&header()->lock, 0, __ATOMIC_RELEASE);
}
