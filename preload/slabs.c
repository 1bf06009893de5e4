/*
 * Slabs, and the classes of sizes that they serve. A class gives the slot that was given back last,
 * else the next of its newest slab. Knows nothing of objects but the class that a size falls into.
 *
 * The permuted placement. A slab serves as many objects as in the first placement, `limit`, out of
 * `slots` slots: the least power of two that is not below 2 * limit. Object i takes slot
 * step * i + slots / 2 modulo slots, where step is an odd multiple of 2. Of two objects i, j of a
 * slab:
 * - Exclusive or. In units of the largest power of two in the stride, bit k of the address in the
 *   permuted placement depends on the bits below k of i, and these on the bits below k of the
 *   address in the first. So the first address can be had back, bit by bit from below, from the
 *   exclusive or of the two; these differ for i and j, and hence the exclusive or of the addresses
 *   of i and j differs from that in the first placement.
 * - Distance. It would be the same, or the same turned round, if (step - 1) or (step + 1) times
 *   i - j were 0 modulo slots; both are odd, and i - j is smaller.
 * - Address. If the stride is a multiple of 32, so is every address in the first placement, and none
 *   in the permuted, where slot 0 lies 16 bytes behind a page. Otherwise the stride is an odd
 *   multiple of 16, and the two addresses of i can agree, modulo a page, only where i takes slot i;
 *   that is where (step - 1) * i = slots / 2 modulo slots, or i = slots / 2, and i is below limit.
 */
#include "slabs.h"

#include <string.h>

#include "runs.h"

/* Sizes: steps of 16 to 128, then four steps to each power of two. */

uint32_t cmc_class_of(size_t size)
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

/* How a slab of a class is laid out. */
struct geometry {
	uint32_t stride, limit, slots, lead, pages;
};

static struct geometry geometry_of(uint32_t class)
{
	uint32_t stride = class_bytes(class) + (uint32_t)CMC_GAP;
	/* The fewest pages of which slots leave at most an eighth over. */
	uint32_t bytes = (uint32_t)CMC_PAGE;
	while (bytes % stride > bytes / 8)
		bytes += (uint32_t)CMC_PAGE;
	uint32_t limit = bytes / stride;
	uint32_t slots = limit;
	uint32_t lead = 0;
	if (permuted()) {
		for (slots = 2; slots < 2 * limit;)
			slots *= 2;
		lead = stride % (2 * CMC_ALIGN) == 0 ? (uint32_t)CMC_ALIGN : 0;
		bytes = (uint32_t)round_up(lead + slots * stride, CMC_PAGE);
	}
	return (struct geometry){stride, limit, slots, lead, bytes / (uint32_t)CMC_PAGE};
}

static struct cmc_slab *new_slab(uint32_t class)
{
	struct geometry shape = geometry_of(class);
	size_t record_bytes = sizeof(struct cmc_slab) + shape.slots * sizeof(struct cmc_slot);
	uint32_t offset = take_meta((uint32_t)round_up(record_bytes, CMC_ALIGN));
	if (offset == 0)
		return NULL;
	uint64_t used_before = header()->used;
	uint32_t page = cmc_take_run(shape.pages);
	if (page == 0) {
		header()->meta_next = offset;
		return NULL;
	}
	uint32_t start = page * (uint32_t)CMC_PAGE;
	/* A slot that was never given is zero, whatever its pages were before. */
	if (start < used_before)
		memset(byte_at(start), 0, shape.pages * CMC_PAGE);
	struct cmc_slab *slab = (struct cmc_slab *)byte_at(offset);
	*slab = (struct cmc_slab){.start = start + shape.lead,
				  .stride = shape.stride,
				  .class = (uint16_t)class,
				  .slots = (uint16_t)shape.slots,
				  .limit = (uint16_t)shape.limit};
	cmc_mark(page, shape.pages, (struct cmc_page){.kind = CMC_PAGE_SLAB, .ref = offset});
	header()->class_slab[class] = offset;
	return slab;
}

/* The slot that the next object of a slab takes. */
static uint32_t next_slot(const struct cmc_slab *slab)
{
	if (!permuted())
		return slab->taken;
	/* The golden section of the slots, so that each object lands in the largest gap. */
	uint32_t step = (0x9e3779b9u >> (32 - (uint32_t)__builtin_ctz(slab->slots) + 1) | 1) * 2;
	return (slab->taken * step + slab->slots / 2u) % slab->slots;
}

struct cmc_slab *cmc_slab_of(size_t offset)
{
	return (struct cmc_slab *)byte_at(cmc_page_record((uint32_t)(offset / CMC_PAGE))->ref);
}

bool cmc_take_slot(uint32_t class, struct cmc_slab **slab, uint32_t *index)
{
	uint32_t offset = header()->class_free[class];
	if (offset != 0) {
		*slab = cmc_slab_of(offset);
		*index = (offset - (*slab)->start) / (*slab)->stride;
		header()->class_free[class] = (*slab)->slot[*index].size_or_next;
		return true;
	}
	offset = header()->class_slab[class];
	*slab = offset == 0 ? NULL : (struct cmc_slab *)byte_at(offset);
	if (*slab == NULL || (*slab)->taken == (*slab)->limit)
		*slab = new_slab(class);
	if (*slab == NULL)
		return false;
	*index = next_slot(*slab);
	(*slab)->taken++;
	return true;
}

void cmc_give_slot(struct cmc_slab *slab, uint32_t index)
{
	uint32_t offset = slab->start + index * slab->stride;
	memset(byte_at(offset), CMC_FILL_FREE, slab->stride);
	struct cmc_slot *slot = &slab->slot[index];
	*slot = (struct cmc_slot){.state = CMC_SLOT_FREE};
	if (offset / CMC_PAGE < header()->placed)
		return;
	slot->size_or_next = header()->class_free[slab->class];
	header()->class_free[slab->class] = offset;
}

void cmc_retire_slots(void)
{
	for (uint32_t class = 0; class < CMC_CLASSES; class++) {
		for (uint32_t offset = header()->class_free[class]; offset != 0;) {
			struct cmc_slab *slab = cmc_slab_of(offset);
			struct cmc_slot *slot = &slab->slot[(offset - slab->start) / slab->stride];
			offset = slot->size_or_next;
			slot->size_or_next = 0;
		}
		header()->class_free[class] = header()->class_slab[class] = 0;
	}
	header()->meta_next = header()->meta_end = 0;
}
