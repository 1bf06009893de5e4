/*
 * Every call that may be answered inside, as it succeeds and as it fails, at the boot and for every
 * letter. Status 9 where it does not end as it should.
 */
#define _GNU_SOURCE
#include "../audit/letters.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static unsigned rounds;
static void *volatile nowhere;
static char large[70000];
static const char fixed[64] = "fixed";

/* The call has returned `got`; it is to return `wanted`, or fail with the error -`wanted`. */
static void expect_at(int line, long got, long wanted)
{
	int error = errno;
	errno = 0;
	if (got == (wanted < 0 ? -1 : wanted) && (wanted >= 0 || error == (int)-wanted))
		return;
	dprintf(2, "line %d: %ld and error %d, not %ld\n", line, got, error, wanted);
	exit(9);
}

#define EXPECT(got, wanted) expect_at(__LINE__, (got), (wanted))

static void write_all_kinds(void)
{
	char on_stack[300] = "on the stack";
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(write(1, "", 0), 0);
	EXPECT(write(1, nowhere, 0), 0);
	EXPECT(write(1, nowhere, 1), -EFAULT);
	EXPECT(write(1, (void *)-8, 16), -EFAULT);
	EXPECT(write(1, fixed, sizeof fixed), sizeof fixed);
	EXPECT(write(1, on_stack, sizeof on_stack), sizeof on_stack);
	EXPECT(write(1, large, 4096), 4096);
	EXPECT(write(1, large, 4097), 4097);
	EXPECT(write(1, large, sizeof large), sizeof large);
	EXPECT(write(0, "a", 1), -EBADF);
	EXPECT(write(99, "a", 1), -EBADF);
	EXPECT(write(-1, "a", 1), -EBADF);
	EXPECT(write(300, "a", 1), -EBADF);
	for (int i = 0; i < 200; i++)
		EXPECT(write(2, large + i, 200), 200);
	EXPECT(send(1, "a", 1, MSG_NOSIGNAL), 1);
	page[4095] = page[4096] = 'p';
	EXPECT(write(1, page + 4090, 12), 12);
	EXPECT(mprotect(page + 4096, 4096, PROT_NONE), 0);
	EXPECT(write(1, page + 4090, 6), 6);
	EXPECT(write(1, page + 4090, 12), -EFAULT);
	EXPECT(munmap(page, 8192), 0);
	EXPECT(write(1, page, 1), -EFAULT);
}

static void use_sockets(int listener)
{
	struct sockaddr_in own = loopback(20000), other = loopback(20000);
	struct timeval patience = { .tv_sec = 1, .tv_usec = 5 }, wrong = { .tv_usec = 1000000 };
	socklen_t size = sizeof patience;
	int on = 1;
	int first = socket(AF_INET, SOCK_STREAM, 0);
	int second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);

	EXPECT(second, first + 1);
	EXPECT(close(first), 0);
	EXPECT(close(first), -EBADF);
	EXPECT(write(first, "a", 1), -EBADF);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), -EBADF);
	EXPECT(socket(AF_INET, SOCK_STREAM, 0), first);
	EXPECT(setsockopt(1, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), -ENOTSOCK);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_REUSEADDR, &on, 2), -EINVAL);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_REUSEADDR, nowhere, sizeof on), -EFAULT);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on), 0);
	EXPECT(setsockopt(first, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_RCVTIMEO, &wrong, sizeof wrong), -EDOM);
	EXPECT(setsockopt(first, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
	memset(&patience, 0, sizeof patience);
	EXPECT(getsockopt(first, SOL_SOCKET, SO_RCVTIMEO, &patience, &size), 0);
	EXPECT(patience.tv_sec * 10 + patience.tv_usec, 15);
	EXPECT(bind(1, (struct sockaddr *)&own, sizeof own), -ENOTSOCK);
	EXPECT(bind(first, (struct sockaddr *)&own, 4), -EINVAL);
	EXPECT(bind(first, nowhere, sizeof own), -EFAULT);
	other.sin_family = AF_UNIX;
	EXPECT(bind(first, (struct sockaddr *)&other, sizeof other), -EAFNOSUPPORT);
	EXPECT(connect(first, (struct sockaddr *)&other, sizeof other), -EAFNOSUPPORT);
	if (listener >= 0) {
		EXPECT(bind(first, (struct sockaddr *)&own, sizeof own), -EADDRINUSE);
		EXPECT(bind(listener, (struct sockaddr *)&own, sizeof own), -EINVAL);
		EXPECT(connect(listener, (struct sockaddr *)&own, sizeof own), -EISCONN);
		EXPECT(listen(listener, 3), 0);
		EXPECT(send(listener, "a", 1, MSG_NOSIGNAL), -EPIPE);
	} else {
		EXPECT(bind(first, (struct sockaddr *)&own, sizeof own), 0);
		EXPECT(bind(first, (struct sockaddr *)&own, sizeof own), -EINVAL);
		EXPECT(bind(second, (struct sockaddr *)&own, sizeof own), -EADDRINUSE);
		EXPECT(listen(first, 3), 0);
		EXPECT(listen(1, 3), -ENOTSOCK);
	}
	EXPECT(listen(99, 3), -EBADF);
	EXPECT(close(first), 0);
	EXPECT(close(second), 0);
}

/* A connection to itself, which nobody accepts here. */
static void use_connection(void)
{
	struct sockaddr_in own = loopback(20000);
	int conn = socket(AF_INET, SOCK_STREAM, 0);

	EXPECT(send(conn, "a", 1, MSG_NOSIGNAL), -EPIPE);
	EXPECT(connect(conn, (struct sockaddr *)&own, sizeof own), 0);
	EXPECT(connect(conn, (struct sockaddr *)&own, sizeof own), -EISCONN);
	EXPECT(send(conn, "q", 1, 0), 1);
	EXPECT(shutdown(conn, SHUT_WR), 0);
	EXPECT(send(conn, "q", 1, MSG_NOSIGNAL), -EPIPE);
	EXPECT(close(conn), 0);
}

static void ask_the_time(void)
{
	struct timespec now = { .tv_sec = -1 };
	struct timeval day = { .tv_sec = -1 };

	EXPECT(clock_gettime(CLOCK_REALTIME, &now), 0);
	EXPECT(gettimeofday(&day, NULL), 0);
	EXPECT(now.tv_sec - day.tv_sec, 0);
	EXPECT(time(NULL) - day.tv_sec, 0);
	EXPECT(gettimeofday(nowhere, NULL), 0);
	EXPECT(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	EXPECT(now.tv_sec, 1000);
	EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
	EXPECT(now.tv_sec, 0);
	EXPECT(clock_gettime(CLOCK_REALTIME, nowhere), -EFAULT);
	EXPECT(clock_gettime(CLOCK_REALTIME, (struct timespec *)(uintptr_t)fixed), -EFAULT);
	EXPECT(strcmp(fixed, "fixed"), 0);
	EXPECT(getpid(), 1000);
}

static int listener = -1;

static void go(void)
{
	write_all_kinds();
	use_sockets(listener);
	ask_the_time();
}

static const char *obey(char letter)
{
	rounds = rounds * 2 + (letter == 'a');
	go();
	if (letter == 'b')
		use_connection();
	return letter == 'q' ? "" : "done";
}

static void tell(void)
{
	listener = 4;
	report(&rounds, sizeof rounds);
}

int main(int argc, char **argv)
{
	go();
	serve_letters(argc, argv);
}
