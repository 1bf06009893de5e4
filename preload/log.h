/*
 * The memory that is shared with the checker, as both know it; src/process/call_log.rs is the other
 * side. It is no part of the program's state.
 */
#ifndef CMC_LOG_H
#define CMC_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "contract.h"
#include "raw.h"

struct cmc_range {
	uint64_t start;
	uint64_t end;
	uint64_t writable;
};

struct cmc_log {
	uint64_t armed;
	uint64_t used;
	uint64_t check;
	int64_t seconds;
	int64_t uptime;
	int64_t microseconds;
	int64_t identity;
	uint64_t stack_end;
	uint64_t range_count;
	uint8_t kinds[CMC_LOG_KINDS];
	struct cmc_range ranges[CMC_LOG_RANGES];
};

#define CMC_LOG_HOLDS(member, place) \
	_Static_assert(offsetof(struct cmc_log, member) == (place), "see contract.rs")
CMC_LOG_HOLDS(armed, CMC_LOG_AT_ARMED);
CMC_LOG_HOLDS(used, CMC_LOG_AT_USED);
CMC_LOG_HOLDS(check, CMC_LOG_AT_CHECK);
CMC_LOG_HOLDS(seconds, CMC_LOG_AT_SECONDS);
CMC_LOG_HOLDS(uptime, CMC_LOG_AT_UPTIME);
CMC_LOG_HOLDS(microseconds, CMC_LOG_AT_MICROSECONDS);
CMC_LOG_HOLDS(identity, CMC_LOG_AT_IDENTITY);
CMC_LOG_HOLDS(stack_end, CMC_LOG_AT_STACK_END);
CMC_LOG_HOLDS(range_count, CMC_LOG_AT_RANGE_COUNT);
CMC_LOG_HOLDS(kinds, CMC_LOG_AT_KINDS);
CMC_LOG_HOLDS(ranges, CMC_LOG_AT_RANGES);
_Static_assert(sizeof(struct cmc_log) <= CMC_LOG_AT_OWN_STACK, "see contract.rs");

/*
 * Where there is no checker the log is memory of the process itself, in which nothing is ever armed.
 *
 * These are part of whoever calls them: a frame of their own would leave another stack behind in a
 * process that was started than in a copy.
 */
#define CMC_LOG_INLINE static inline __attribute__((always_inline))

CMC_LOG_INLINE void cmc_log_map_as(long how, long file)
{
	long at = cmc_raw6(SYS_mmap, (long)CMC_LOG_BASE, (long)CMC_LOG_SIZE, PROT_READ | PROT_WRITE, how,
			   file, 0);

	/* Every call of the program looks there. */
	if (at != (long)CMC_LOG_BASE)
		__builtin_trap();
}

/* Map the log of this process, a copy, in place of the one of the process it is a copy of. */
CMC_LOG_INLINE void cmc_log_map_anew(void)
{
	cmc_log_map_as(MAP_SHARED | MAP_FIXED, (long)CMC_LOG_FD);
	cmc_raw3(SYS_close, (long)CMC_LOG_FD, 0, 0);
}

/* Map the log of this process, which was just started. */
CMC_LOG_INLINE void cmc_log_map(void)
{
	if (cmc_raw3((long)CMC_CALL_LOG, 0, 0, 0) == (long)CMC_LOG_FD)
		cmc_log_map_anew();
	else
		cmc_log_map_as(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
}

#endif
