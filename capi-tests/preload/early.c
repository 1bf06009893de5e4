/*
 * A library that asks something (the parent's number, which nobody else asks) when it is loaded: the
 * preload must have greeted by then.
 */
#include <sys/syscall.h>
#include <unistd.h>

void early(void);

__attribute__((constructor)) void early(void)
{
	syscall(SYS_getppid);
}
