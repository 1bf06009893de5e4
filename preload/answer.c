/*
 * Looks at a call of the program and answers it, where what the checker has said of this step allows
 * that; the call is written to the log, with what it takes or gives, and the checker answers it once
 * more from there, as if it had been asked, and compares. So nothing is decided here: whatever is not
 * known to end as the log says is left to the checker.
 *
 * Runs on a stack of its own (enter.c), touches no vector register, and writes nothing but the log and
 * what the call itself writes.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, in log.h */
#pragma GCC target("general-regs-only")

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "log.h"

/* The registers of a call, as enter.c puts them down. */
struct cmc_call {
	long number; /* then its answer */
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long rcx;
	unsigned long rdx;
	unsigned long rsi;
	unsigned long rdi;
	unsigned long sp;
};

int cmc_answer(struct cmc_call *call);

static struct cmc_log *const the_log = (struct cmc_log *)CMC_LOG_BASE;

/* Bytes of the stack of a program, which RLIMIT_STACK bounds; see launch.rs. */
enum { STACK_SIZE = 8 << 20 };

static void copy(void *to, const void *from, unsigned long count)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

/* Whether all of `count` bytes at `start` are the program's to read, or to write. */
static bool may(const struct cmc_call *call, unsigned long start, unsigned long count, bool write)
{
	unsigned long end = start + count;
	if (count == 0)
		return true;
	if (end < start)
		return false;
	/* The kernel lets the stack grow as far as its pointer has come. */
	if (start >= call->sp && end <= the_log->stack_end &&
	    the_log->stack_end - call->sp <= STACK_SIZE)
		return true;
	for (unsigned long i = 0; i < the_log->range_count && i < CMC_LOG_RANGES; i++) {
		const struct cmc_range *range = &the_log->ranges[i];
		if (start >= range->start && end <= range->end)
			return !write || range->writable;
	}
	return false;
}

static bool reads(const struct cmc_call *call, unsigned long start, unsigned long count)
{
	return may(call, start, count, false);
}

/* The call has these arguments, and takes or gives `count` bytes. False if there is no room. */
static bool note(struct cmc_call *call, const unsigned long *arguments, int argument_count,
		 const void *bytes, unsigned long count, long answer)
{
	uint64_t used = the_log->used;
	uint64_t words = CMC_LOG_ENTRY_WORDS + (count + 7) / 8;
	uint64_t room = CMC_LOG_SIZE - CMC_LOG_AT_ENTRIES;
	if (count > CMC_LOG_BYTES || used > room || words * 8 > room - used)
		return false;
	uint64_t *entry = (uint64_t *)(CMC_LOG_BASE + CMC_LOG_AT_ENTRIES + used);
	entry[0] = (uint64_t)call->number | (uint64_t)count << 32;
	entry[1] = *(const uint64_t *)call->sp;
	for (int i = 0; i < 6; i++)
		entry[2 + i] = i < argument_count ? arguments[i] : 0;
	entry[8] = (uint64_t)answer;
	if (count > 0)
		entry[words - 1] = 0;
	copy(entry + CMC_LOG_ENTRY_WORDS, bytes, count);
	uint64_t check = the_log->check;
	for (uint64_t i = 0; i < words; i++) {
		check = (check ^ entry[i]) * CMC_LOG_CHECK_FACTOR;
		check ^= check >> 32;
	}
	the_log->check = check;
	the_log->used = used + words * 8;
	call->number = answer;
	return true;
}

static unsigned kind_of(unsigned long fd)
{
	return (unsigned)fd < CMC_LOG_KINDS ? the_log->kinds[(unsigned)fd] : CMC_LOG_FD_NONE;
}

static bool is_socket(unsigned kind)
{
	return (kind & ~(unsigned)CMC_LOG_FD_BOUND) >= CMC_LOG_FD_FRESH;
}

/* Whether some socket is bound to the node's port, or is of that kind. */
static bool some(unsigned kind)
{
	for (unsigned fd = 0; fd < CMC_LOG_KINDS; fd++) {
		unsigned known = the_log->kinds[fd];
		if (kind == CMC_LOG_FD_BOUND ? known & kind
					     : (known & ~(unsigned)CMC_LOG_FD_BOUND) == kind)
			return true;
	}
	return false;
}

/* write and send: all of it is taken. */
static bool write_to(struct cmc_call *call, int argument_count)
{
	unsigned long fd = call->rdi, start = call->rsi, count = call->rdx;
	unsigned long arguments[4] = { fd, start, count, call->rcx };
	unsigned kind = kind_of(fd) & ~(unsigned)CMC_LOG_FD_BOUND;
	if (kind != CMC_LOG_FD_SINK && kind != CMC_LOG_FD_CONNECTED)
		return false;
	if (argument_count == 4 && ((unsigned)call->rcx & ~(unsigned)MSG_NOSIGNAL) != 0)
		return false;
	return count <= CMC_LOG_BYTES && reads(call, start, count) &&
	       note(call, arguments, argument_count, (const void *)start, count, (long)count);
}

static bool close_one(struct cmc_call *call)
{
	unsigned kind = kind_of(call->rdi);
	if (kind == CMC_LOG_FD_NONE || kind == CMC_LOG_FD_OTHER || !note(call, &call->rdi, 1, NULL, 0, 0))
		return false;
	the_log->kinds[(unsigned)call->rdi] = CMC_LOG_FD_NONE;
	return true;
}

/* The lowest free descriptor. */
static bool make_socket(struct cmc_call *call)
{
	unsigned long arguments[3] = { call->rdi, call->rsi, call->rdx };
	unsigned fd = 0;
	if ((int)call->rdi != AF_INET || ((int)call->rsi & ~SOCK_CLOEXEC) != SOCK_STREAM)
		return false;
	while (fd < CMC_LOG_KINDS && the_log->kinds[fd] != CMC_LOG_FD_NONE)
		fd++;
	if (fd == CMC_LOG_KINDS || !note(call, arguments, 3, NULL, 0, fd))
		return false;
	the_log->kinds[fd] = CMC_LOG_FD_FRESH;
	return true;
}

/* An address of the internet behind the second argument. */
static bool has_name(const struct cmc_call *call)
{
	unsigned count = (unsigned)call->rdx;
	return count >= sizeof(struct sockaddr_in) && count <= 128 && reads(call, call->rsi, count) &&
	       ((const struct sockaddr_in *)call->rsi)->sin_family == AF_INET;
}

static bool name_one(struct cmc_call *call, unsigned kind)
{
	unsigned long arguments[3] = { call->rdi, call->rsi, call->rdx };
	const void *name = (const void *)call->rsi;
	if (!note(call, arguments, 3, name, (unsigned)call->rdx, 0))
		return false;
	the_log->kinds[(unsigned)call->rdi] = (uint8_t)kind;
	return true;
}

/* Where a socket is bound already, whether another may be depends on its options. */
static bool bind_one(struct cmc_call *call)
{
	return kind_of(call->rdi) == CMC_LOG_FD_FRESH && has_name(call) &&
	       ((const struct sockaddr_in *)call->rsi)->sin_port != 0 && !some(CMC_LOG_FD_BOUND) &&
	       name_one(call, CMC_LOG_FD_FRESH | CMC_LOG_FD_BOUND);
}

static bool connect_one(struct cmc_call *call)
{
	unsigned kind = kind_of(call->rdi);
	unsigned bound = kind & CMC_LOG_FD_BOUND;
	return (kind ^ bound) == CMC_LOG_FD_FRESH && has_name(call) &&
	       name_one(call, CMC_LOG_FD_CONNECTED | bound);
}

static bool listen_on(struct cmc_call *call)
{
	unsigned long arguments[2] = { call->rdi, call->rsi };
	if (kind_of(call->rdi) != (CMC_LOG_FD_FRESH | CMC_LOG_FD_BOUND) || some(CMC_LOG_FD_LISTENING) ||
	    !note(call, arguments, 2, NULL, 0, 0))
		return false;
	the_log->kinds[(unsigned)call->rdi] = CMC_LOG_FD_LISTENING | CMC_LOG_FD_BOUND;
	return true;
}

/* Whether a socket option is set by that value. */
static bool is_set(int level, int name, const void *value, unsigned count)
{
	const struct timeval *time = value;
	if (level == SOL_SOCKET && name == SO_RCVTIMEO)
		return count == sizeof *time && time->tv_sec >= 0 && time->tv_sec < 1000000000 &&
		       time->tv_usec >= 0 && time->tv_usec < 1000000;
	if (count < sizeof(int) || count > 128)
		return false;
	return (level == SOL_SOCKET &&
		(name == SO_REUSEADDR || name == SO_REUSEPORT || name == SO_KEEPALIVE)) ||
	       (level == IPPROTO_TCP && name == TCP_NODELAY);
}

static bool set_option(struct cmc_call *call)
{
	unsigned long arguments[5] = { call->rdi, call->rsi, call->rdx, call->rcx, call->r8 };
	const void *value = (const void *)call->rcx;
	unsigned count = (unsigned)call->r8;
	return is_socket(kind_of(call->rdi)) && count <= CMC_LOG_BYTES && reads(call, call->rcx, count) &&
	       is_set((int)call->rsi, (int)call->rdx, value, count) &&
	       note(call, arguments, 5, value, count, 0);
}

static bool tell_clock(struct cmc_call *call)
{
	unsigned long arguments[2] = { call->rdi, call->rsi };
	struct timespec now = { .tv_nsec = the_log->microseconds * 1000 };
	switch ((int)call->rdi) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		now.tv_sec = the_log->seconds;
		break;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		now.tv_sec = the_log->uptime;
		break;
	default:
		return false;
	}
	if (!may(call, call->rsi, sizeof now, true) ||
	    !note(call, arguments, 2, &now, sizeof now, 0))
		return false;
	copy((void *)call->rsi, &now, sizeof now);
	return true;
}

static bool tell_time_of_day(struct cmc_call *call)
{
	unsigned long arguments[2] = { call->rdi, call->rsi };
	struct timeval now = { .tv_sec = the_log->seconds, .tv_usec = the_log->microseconds };
	if (call->rdi == 0 || !may(call, call->rdi, sizeof now, true) ||
	    !note(call, arguments, 2, &now, sizeof now, 0))
		return false;
	copy((void *)call->rdi, &now, sizeof now);
	return true;
}

/* Whether the call is answered; its answer is then where its number was. */
int cmc_answer(struct cmc_call *call)
{
	switch (call->number) {
	case SYS_write:
		return write_to(call, 3);
	case SYS_sendto:
		return write_to(call, 4);
	case SYS_close:
		return close_one(call);
	case SYS_socket:
		return make_socket(call);
	case SYS_bind:
		return bind_one(call);
	case SYS_listen:
		return listen_on(call);
	case SYS_connect:
		return connect_one(call);
	case SYS_setsockopt:
		return set_option(call);
	case SYS_clock_gettime:
		return tell_clock(call);
	case SYS_gettimeofday:
		return tell_time_of_day(call);
	case SYS_time:
		return call->rdi == 0 && note(call, &call->rdi, 1, NULL, 0, the_log->seconds);
	case SYS_getpid:
		return note(call, NULL, 0, NULL, 0, the_log->identity);
	default:
		return false;
	}
}
