/*
 * A second reader of the arena, written against arena.h alone: walks every page, slab and free list,
 * looks at every byte that is no object's, and counts what is live. Whatever it finds out of order ends the program with the place.
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

/* What nobody holds is zero if it was never used, else filled. */
static int heap_unused(size_t from, size_t to)
{
	return heap_all(from, to, 0) || heap_all(from, to, CMC_FILL_FREE);
}

static void heap_walk_slab(const struct cmc_slab *slab, struct heap_count *count)
{
	size_t taken = 0;
	CHECK(slab->taken <= slab->limit && slab->limit <= slab->slots);
	for (size_t i = 0; i < slab->slots; i++) {
		const struct cmc_slot *slot = &slab->slot[i];
		size_t start = slab->start + i * slab->stride;
		size_t end = start + slab->stride;
		if (slab->limit == slab->slots)
			CHECK((slot->state == CMC_SLOT_FRESH) == (i >= slab->taken));
		if (slot->state == CMC_SLOT_FRESH) {
			CHECK(heap_all(start, end, 0));
			continue;
		}
		taken++;
		if (slot->state == CMC_SLOT_LIVE) {
			size_t object = start + slot->lead;
			CHECK(object % CMC_ALIGN == 0);
			CHECK(object + slot->size_or_next + CMC_GAP <= end);
			CHECK(heap_all(start, object, CMC_FILL_GAP));
			CHECK(heap_all(object + slot->size_or_next, end, CMC_FILL_GAP));
			count->live++;
			count->live_bytes += slot->size_or_next;
		} else {
			CHECK(slot->state == CMC_SLOT_FREE);
			CHECK(heap_all(start, end, CMC_FILL_FREE));
			/* What is older than the placement is never given again. */
			if (start / CMC_PAGE >= heap_header()->placed)
				count->free_slots++;
			else
				CHECK(slot->size_or_next == 0);
		}
	}
	CHECK(taken == slab->taken);
	/* Before the first slot and behind the last. */
	size_t first = slab->start / CMC_PAGE;
	CHECK(heap_all(first * CMC_PAGE, slab->start, 0));
	size_t end = slab->start + (size_t)slab->slots * slab->stride;
	CHECK(heap_all(end, (end + CMC_PAGE - 1) / CMC_PAGE * CMC_PAGE, 0));
}

static void heap_walk_large(size_t page, struct heap_count *count)
{
	const struct cmc_page *record = heap_page(page);
	size_t pages = (record->ref + CMC_GAP + CMC_PAGE - 1) / CMC_PAGE;
	size_t start = page * CMC_PAGE + record->lead;
	size_t gap_end = (page + pages + (record->lead != 0)) * CMC_PAGE;
	int permuted = heap_header()->placement != CMC_PLACEMENT_FIRST &&
		       page >= heap_header()->placed;
	CHECK(record->span == (permuted ? 2 * pages : pages));
	CHECK((record->lead != 0) == (permuted && !record->aligned));
	for (size_t body = page + 1; body < page + record->span; body++)
		CHECK(heap_page(body)->kind == CMC_PAGE_BODY && heap_page(body)->ref == page);
	CHECK(heap_all(page * CMC_PAGE, start, CMC_FILL_GAP));
	CHECK(heap_all(start + record->ref, gap_end, CMC_FILL_GAP));
	for (size_t rest = gap_end; rest < (page + record->span) * CMC_PAGE; rest += CMC_PAGE)
		CHECK(heap_unused(rest, rest + CMC_PAGE));
	count->live++;
	count->live_bytes += record->ref;
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
			if (slab->start / CMC_PAGE == page)
				heap_walk_slab(slab, &count);
			break;
		}
		case CMC_PAGE_LARGE:
			heap_walk_large(page, &count);
			span = record->span;
			break;
		case CMC_PAGE_FREE:
			/* In address order, and no two side by side. */
			CHECK(page == next_free);
			span = record->span;
			next_free = record->ref;
			for (size_t body = page + 1; body < page + span; body++)
				CHECK(heap_page(body)->kind == CMC_PAGE_NONE);
			CHECK(page + span == pages || heap_page(page + span)->kind != CMC_PAGE_FREE);
			for (size_t body = page; body < page + span; body++)
				CHECK(heap_unused(body * CMC_PAGE, (body + 1) * CMC_PAGE));
			count.free_pages += span;
			break;
		case CMC_PAGE_NONE:
			CHECK(page < heap_header()->placed);
			CHECK(heap_all(page * CMC_PAGE, (page + 1) * CMC_PAGE, CMC_FILL_FREE));
			break;
		default:
			CHECK(!"a page of a known kind");
		}
		page += span;
	}
	CHECK(next_free == 0);

	size_t listed = 0;
	for (size_t class = 0; class < CMC_CLASSES; class++)
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
