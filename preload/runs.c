/*
 * Pages, their records, and runs of them. Invariant: every page below the mark has a record; free
 * runs are listed by address and no two touch, so which runs are free depends on which are held and
 * not on the order in which they were given back. In the permuted placement the order of addresses
 * is turned round within blocks. Knows nothing of objects.
 */
#include "runs.h"

#include <string.h>

/* Page records. */

struct cmc_page *cmc_page_record(uint32_t page)
{
	uint32_t table = header()->table[page / CMC_TABLE_PAGES];
	return (struct cmc_page *)byte_at(table) + page % CMC_TABLE_PAGES;
}

void cmc_mark(uint32_t page, uint32_t pages, struct cmc_page record)
{
	for (uint32_t i = 0; i < pages; i++)
		*cmc_page_record(page + i) = record;
}

/* Runs of pages. */

static uint32_t used_pages(void)
{
	return (uint32_t)(header()->used / CMC_PAGE);
}

static bool fits(uint32_t pages)
{
	return pages <= CMC_ARENA_SIZE / CMC_PAGE - used_pages();
}

/*
 * Page records for the `pages` pages that come at the mark once the tables lie there. There are at
 * least as many new tables as old ones: a table never moves, and so splits the free space for ever;
 * one in each MiB would leave no room for anything larger. What the tables cover includes
 * themselves.
 */
static bool add_tables(uint32_t pages)
{
	uint32_t have = header()->tables;
	if (used_pages() + pages <= have * CMC_TABLE_PAGES)
		return true;
	uint32_t more = have;
	while (used_pages() + more + pages > (have + more) * CMC_TABLE_PAGES)
		more++;
	if (more > CMC_TABLES - have)
		more = (uint32_t)CMC_TABLES - have;
	if (!fits(more + pages))
		return false;
	uint32_t first = used_pages();
	for (uint32_t i = 0; i < more; i++)
		header()->table[have + i] = (first + i) * (uint32_t)CMC_PAGE;
	header()->tables += more;
	header()->used += more * CMC_PAGE;
	cmc_mark(first, more, (struct cmc_page){.kind = CMC_PAGE_META, .span = 1});
	return true;
}

/* Untouched pages at the mark. */
static uint32_t extend(uint32_t pages)
{
	if (!fits(pages) || !add_tables(pages))
		return 0;
	uint32_t page = used_pages();
	header()->used += pages * CMC_PAGE;
	return page;
}

/* First fit: at the lowest address. */
static uint32_t take_lowest(uint32_t pages)
{
	for (uint32_t *link = &header()->free_first; *link != 0;
	     link = &cmc_page_record(*link)->ref) {
		uint32_t page = *link;
		struct cmc_page *record = cmc_page_record(page);
		if (record->span < pages)
			continue;
		uint32_t rest = record->span - pages;
		uint32_t next = record->ref;
		*record = (struct cmc_page){.kind = CMC_PAGE_NONE};
		if (rest > 0) {
			cmc_mark(page + pages, 1,
				 (struct cmc_page){.kind = CMC_PAGE_FREE, .span = rest, .ref = next});
			next = page + pages;
		}
		*link = next;
		return page;
	}
	return extend(pages);
}

/* Make a run free; its neighbours, if they are, become one with it. */
static void list_run(uint32_t page, uint32_t pages)
{
	uint32_t before = 0;
	uint32_t behind = header()->free_first;
	while (behind != 0 && behind < page) {
		before = behind;
		behind = cmc_page_record(behind)->ref;
	}
	if (behind == page + pages) {
		struct cmc_page *record = cmc_page_record(behind);
		pages += record->span;
		behind = record->ref;
		*record = (struct cmc_page){.kind = CMC_PAGE_NONE};
	}
	if (before != 0 && before + cmc_page_record(before)->span == page) {
		cmc_page_record(before)->span += pages;
		cmc_page_record(before)->ref = behind;
		return;
	}
	cmc_mark(page, 1, (struct cmc_page){.kind = CMC_PAGE_FREE, .span = pages, .ref = behind});
	if (before != 0)
		cmc_page_record(before)->ref = page;
	else
		header()->free_first = page;
}

/* The highest free run that is long enough, by the link to it; NULL if there is none. */
static uint32_t *highest(uint32_t pages)
{
	uint32_t *found = NULL;
	for (uint32_t *link = &header()->free_first; *link != 0;
	     link = &cmc_page_record(*link)->ref)
		if (cmc_page_record(*link)->span >= pages)
			found = link;
	return found;
}

/* Last fit: at the highest address, downward in blocks, each as long as all before it. */
static uint32_t take_highest(uint32_t pages)
{
	enum { FIRST_BLOCK = 32 };
	uint32_t *link = highest(pages);
	if (link == NULL) {
		uint32_t block = used_pages() > FIRST_BLOCK ? used_pages() : FIRST_BLOCK;
		if (block < pages || !fits(block))
			block = pages;
		uint32_t first = extend(block);
		if (first == 0)
			return 0;
		list_run(first, block);
		link = highest(pages);
	}
	uint32_t page = *link;
	struct cmc_page *record = cmc_page_record(page);
	record->span -= pages;
	if (record->span > 0)
		return page + record->span;
	*link = record->ref;
	*record = (struct cmc_page){.kind = CMC_PAGE_NONE};
	return page;
}

uint32_t cmc_take_run(uint32_t pages)
{
	return permuted() ? take_highest(pages) : take_lowest(pages);
}

void cmc_give_run(uint32_t page, uint32_t pages)
{
	if (pages == 0)
		return;
	memset(byte_at(page * CMC_PAGE), CMC_FILL_FREE, pages * CMC_PAGE);
	cmc_mark(page, pages, (struct cmc_page){.kind = CMC_PAGE_NONE});
	if (page >= header()->placed)
		list_run(page, pages);
}
