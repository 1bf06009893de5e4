/*
 * # expect: verdict=pass
 * Waits in two places of its code with one report: what is read in the one is answered "A", in the
 * other "B". Only the chain of callers tells the two local states apart.
 */
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static __attribute__((noinline)) long in_one_place(int fd, char *buffer)
{
	long got = read(fd, buffer, 8);

	return got > 0 ? write(fd, "A", 1) : got;
}

static __attribute__((noinline)) long in_another_place(int fd, char *buffer)
{
	long got = read(fd, buffer, 8);

	return got > 0 ? write(fd, "B", 1) : got;
}

int main(int argc, char **argv)
{
	int node = argc > 1 ? atoi(argv[1]) : 0;
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)(20000 + node)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	char buffer[8];

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4) != 0)
		return 1;
	if (write(3, "\1x", 2) != 2)
		return 1;
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (in_one_place(fd, buffer) > 0)
			while (in_another_place(fd, buffer) > 0)
				;
		close(fd);
	}
}
