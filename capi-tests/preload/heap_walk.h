/*
 * A second reader of the arena, written against arena.h alone: walks every page, slab and free list
 * and counts what is live. Whatever it finds out of order ends the program with the place.
 */
#ifndef HEAP_WALK_H
#define HEAP_WALK_H

#include "arena.h"
#include "check.h"

static const unsigned char *heap_bytes(size_t offset)
{
	return (const unsigned char *)CMC_ARENA_BASE + offset;
}

static const struct cmc_header *heap_header(void)
{
	return (const struct cmc_header *)CMC_ARENA_BASE;
}

static int heap_all(size_t from, size_t to, unsigned char value)
{
	for (size_t i = from; i < to; i++)
		if (*heap_bytes(i) != value)
			return 0;
	return 1;
}

static const struct cmc_page *heap_page(size_t page)
{
	return (const struct cmc_page *)heap_bytes(heap_header()->table[page / CMC_TABLE_PAGES]) +
	       page % CMC_TABLE_PAGES;
}

struct heap_count {
	size_t live, live_bytes, free_slots, free_pages;
};

static void heap_walk_slab(const struct cmc_slab *slab, struct heap_count *count)
{
	for (size_t i = 0; i < slab->slots; i++) {
		const struct cmc_slot *slot = &slab->slot[i];
		size_t start = slab->start + i * slab->stride;
		size_t end = start + slab->stride;
		CHECK((slot->state == CMC_SLOT_FRESH) == (i >= slab->fresh));
		if (slot->state == CMC_SLOT_LIVE) {
			size_t object = start + slot->lead;
			CHECK(object % CMC_ALIGN == 0);
			CHECK(object + slot->size_or_next + CMC_GAP <= end);
			CHECK(heap_all(start, object, CMC_FILL_GAP));
			CHECK(heap_all(object + slot->size_or_next, end, CMC_FILL_GAP));
			count->live++;
			count->live_bytes += slot->size_or_next;
		} else if (slot->state == CMC_SLOT_FREE) {
			CHECK(heap_all(start, end, CMC_FILL_FREE));
			count->free_slots++;
		}
	}
}

static struct heap_count heap_walk(void)
{
	struct heap_count count = {0};
	const struct cmc_header *header = heap_header();
	CHECK(header->magic == CMC_ARENA_MAGIC);
	CHECK(header->used % CMC_PAGE == 0 && header->used <= CMC_ARENA_SIZE);
	CHECK(header->lock == 0);

	size_t pages = header->used / CMC_PAGE;
	size_t next_free = header->free_first;
	for (size_t page = 0; page < pages;) {
		const struct cmc_page *record = heap_page(page);
		size_t span = 1;
		switch (record->kind) {
		case CMC_PAGE_META:
			break;
		case CMC_PAGE_SLAB: {
			const struct cmc_slab *slab = (const void *)heap_bytes(record->ref);
			CHECK(heap_page(record->ref / CMC_PAGE)->kind == CMC_PAGE_META);
			if (slab->start == page * CMC_PAGE)
				heap_walk_slab(slab, &count);
			break;
		}
		case CMC_PAGE_LARGE: {
			size_t end = (page + record->span) * CMC_PAGE;
			span = record->span;
			for (size_t body = page + 1; body < page + span; body++)
				CHECK(heap_page(body)->kind == CMC_PAGE_BODY &&
				      heap_page(body)->ref == page);
			CHECK(page * CMC_PAGE + record->ref + CMC_GAP <= end);
			CHECK(heap_all(page * CMC_PAGE + record->ref, end, CMC_FILL_GAP));
			count.live++;
			count.live_bytes += record->ref;
			break;
		}
		case CMC_PAGE_FREE:
			/* In address order, and no two side by side. */
			CHECK(page == next_free);
			span = record->span;
			next_free = record->ref;
			for (size_t body = page + 1; body < page + span; body++)
				CHECK(heap_page(body)->kind == CMC_PAGE_NONE);
			CHECK(page + span == pages || heap_page(page + span)->kind != CMC_PAGE_FREE);
			CHECK(heap_all(page * CMC_PAGE, (page + span) * CMC_PAGE, CMC_FILL_FREE));
			count.free_pages += span;
			break;
		default:
			CHECK(!"a page of a known kind");
		}
		page += span;
	}
	CHECK(next_free == 0);

	size_t listed = 0;
	for (int class = 0; class < CMC_CLASSES; class++)
		for (size_t slot = header->class_free[class]; slot != 0; listed++) {
			const struct cmc_slab *slab =
				(const void *)heap_bytes(heap_page(slot / CMC_PAGE)->ref);
			CHECK(slab->class == class && (slot - slab->start) % slab->stride == 0);
			const struct cmc_slot *record =
				&slab->slot[(slot - slab->start) / slab->stride];
			CHECK(record->state == CMC_SLOT_FREE);
			slot = record->size_or_next;
		}
	CHECK(listed == count.free_slots);
	return count;
}

#endif
