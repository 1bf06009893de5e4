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
 * Limits. A slab stays with its class when all its slots are free, and records stay where they are:
 * a full arena may hold free space of another shape. A threaded program is served under one spin
 * lock; a fork while another thread holds it leaves it held in the child.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "arena.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "raw.h"
#include "runs.h"

/*
 * The one word outside the arena: whether the arena is there cannot be read from the arena. Written
 * once, before any constructor has run.
 */
static uint32_t mapped;

/* Sizes: steps of 16 to 128, then four steps to each power of two. */

static uint32_t class_of(size_t size)
{
	if (size == 0)
		return 0;
	size_t last = size - 1;
	if (last < 128)
		return (uint32_t)(last / 16);
	uint32_t power = 63 - (uint32_t)__builtin_clzl(last);
	return 8 + (power - 7) * 4 + (uint32_t)((last >> (power - 2)) & 3);
}

static uint32_t class_bytes(uint32_t class)
{
	if (class < 8)
		return (class + 1) * 16;
	return (5 + (class - 8) % 4) << (5 + (class - 8) / 4);
}

static uint32_t pages_of(size_t size)
{
	return (uint32_t)(round_up(size + CMC_GAP, CMC_PAGE) / CMC_PAGE);
}

/* Slabs. */

/* Zeroed bytes for a slab record, which stays for ever; at most a page. 0: no room. */
static uint32_t take_meta(uint32_t bytes)
{
	if (header()->meta_next + bytes > header()->meta_end) {
		uint32_t page = cmc_take_run(1);
		if (page == 0)
			return 0;
		cmc_mark(page, 1, (struct cmc_page){.kind = CMC_PAGE_META, .span = 1});
		uint32_t offset = page * (uint32_t)CMC_PAGE;
		memset(byte_at(offset), 0, CMC_PAGE);
		if (offset != header()->meta_end)
			header()->meta_next = offset;
		header()->meta_end = offset + (uint32_t)CMC_PAGE;
	}
	uint32_t at = header()->meta_next;
	header()->meta_next += bytes;
	return at;
}

static struct cmc_slab *new_slab(uint32_t class)
{
	uint32_t stride = class_bytes(class) + (uint32_t)CMC_GAP;
	/* The fewest pages of which slots leave at most an eighth over. */
	uint32_t bytes = (uint32_t)CMC_PAGE;
	while (bytes % stride > bytes / 8)
		bytes += (uint32_t)CMC_PAGE;
	uint32_t slots = bytes / stride;

	size_t record_bytes = sizeof(struct cmc_slab) + slots * sizeof(struct cmc_slot);
	uint32_t offset = take_meta((uint32_t)round_up(record_bytes, CMC_ALIGN));
	if (offset == 0)
		return NULL;
	uint32_t pages = bytes / (uint32_t)CMC_PAGE;
	uint32_t page = cmc_take_run(pages);
	if (page == 0) {
		header()->meta_next = offset;
		return NULL;
	}
	struct cmc_slab *slab = (struct cmc_slab *)byte_at(offset);
	*slab = (struct cmc_slab){.start = page * (uint32_t)CMC_PAGE,
				  .stride = stride,
				  .class = (uint16_t)class,
				  .slots = (uint16_t)slots};
	cmc_mark(page, pages, (struct cmc_page){.kind = CMC_PAGE_SLAB, .ref = offset});
	header()->class_slab[class] = offset;
	return slab;
}

static struct cmc_slab *slab_of(size_t offset)
{
	return (struct cmc_slab *)byte_at(cmc_page_record((uint32_t)(offset / CMC_PAGE))->ref);
}

static bool take_slot(uint32_t class, struct cmc_slab **slab, uint32_t *index)
{
	uint32_t offset = header()->class_free[class];
	if (offset != 0) {
		*slab = slab_of(offset);
		*index = (offset - (*slab)->start) / (*slab)->stride;
		header()->class_free[class] = (*slab)->slot[*index].size_or_next;
		return true;
	}
	offset = header()->class_slab[class];
	*slab = offset == 0 ? NULL : (struct cmc_slab *)byte_at(offset);
	if (*slab == NULL || (*slab)->fresh == (*slab)->slots)
		*slab = new_slab(class);
	if (*slab == NULL)
		return false;
	*index = (*slab)->fresh++;
	return true;
}

/* Objects. */

static void *take_small(uint32_t class, size_t size, size_t align, bool zero)
{
	struct cmc_slab *slab;
	uint32_t index;
	if (!take_slot(class, &slab, &index))
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

static void *take_large(size_t size, size_t align, bool zero)
{
	uint32_t pages = pages_of(size);
	/* Alignment beyond a page: take the run that surely holds such a place, give back the rest. */
	uint32_t step = align > CMC_PAGE ? (uint32_t)(align / CMC_PAGE) : 1;
	uint64_t used_before = header()->used;
	uint32_t taken = cmc_take_run(pages + step - 1);
	if (taken == 0)
		return NULL;
	uint32_t page = (uint32_t)round_up(taken, step);
	cmc_give_run(taken, page - taken);
	cmc_give_run(page + pages, taken + step - 1 - page);

	cmc_mark(page, 1, (struct cmc_page){.kind = CMC_PAGE_LARGE,
					.span = pages,
					.ref = (uint32_t)size,
					.aligned = align > CMC_ALIGN});
	cmc_mark(page + 1, pages - 1, (struct cmc_page){.kind = CMC_PAGE_BODY, .ref = page});
	uint8_t *at = byte_at(page * CMC_PAGE);
	/* Pages that were behind the mark are zero, and a program may count on not touching them. */
	if (!zero)
		memset(at, CMC_FILL_NEW, size);
	else if (page * CMC_PAGE < used_before)
		memset(at, 0, size);
	memset(at + size, CMC_FILL_GAP, pages * CMC_PAGE - size);
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
		return take_small(class_of(room), size, align, zero);
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
	if (record->kind == CMC_PAGE_LARGE && offset % CMC_PAGE == 0) {
		object->size = record->ref;
		object->room = record->span * CMC_PAGE;
		object->aligned = record->aligned != 0;
		object->page = page;
		return true;
	}
	if (record->kind != CMC_PAGE_SLAB)
		return false;
	struct cmc_slab *slab = slab_of(offset);
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
		if (size > CMC_SMALL_MAX || class_of(size) != object->slab->class)
			return false;
		object->slab->slot[object->index].size_or_next = (uint32_t)size;
	} else {
		if (size <= CMC_SMALL_MAX || pages_of(size) * CMC_PAGE != object->room)
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
	struct cmc_slab *slab = object->slab;
	if (slab == NULL) {
		cmc_give_run(object->page, (uint32_t)(object->room / CMC_PAGE));
		return;
	}
	uint32_t offset = slab->start + object->index * slab->stride;
	memset(byte_at(offset), CMC_FILL_FREE, slab->stride);
	slab->slot[object->index] =
		(struct cmc_slot){.size_or_next = header()->class_free[slab->class],
				  .state = CMC_SLOT_FREE};
	header()->class_free[slab->class] = offset;
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
