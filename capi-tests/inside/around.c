/*
 * Answers letters without a function of libc that makes a system call.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call) ((call) < 0 ? (syscall(SYS_exit_group, 9), 0) : 0)

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	unsigned char record[] = { 1, 0 };
	struct timespec now;

	at.sin_port = htons((unsigned short)(20000 + (argc > 1 ? argv[1][0] - '0' : 0)));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int listener = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	CHECK(syscall(SYS_bind, listener, &at, sizeof at));
	CHECK(syscall(SYS_listen, listener, 8));
	for (;;) {
		CHECK(syscall(SYS_write, 3, record, sizeof record));
		int conn = (int)syscall(SYS_accept, listener, NULL, NULL);
		char letter;

		CHECK(conn);
		while (syscall(SYS_read, conn, &letter, 1) == 1) {
			record[1] = (unsigned char)(record[1] * 2 + (letter == 'a'));
			CHECK(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now));
			CHECK(syscall(SYS_getpid));
			CHECK(syscall(SYS_write, 3, record, sizeof record));
			CHECK(syscall(SYS_sendto, conn, "ok", 2, MSG_NOSIGNAL, NULL, 0));
		}
		CHECK(syscall(SYS_close, conn));
	}
}
