/*
 * watch PRELOAD PROGRAM [ARGUMENT]: runs the program with the preload and prints every system call
 * that the program's only thread enters, as `call NUMBER A B C` on descriptor 2, then
 * how it ended. This is what a checker would be asked.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	pid_t child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", argv[1], 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	int status;
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
		fprintf(stderr, "cannot trace a child\n");
		return 2;
	}
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	int signal = 0;
	while (ptrace(PTRACE_SYSCALL, child, NULL, signal) == 0) {
		waitpid(child, &status, 0);
		if (!WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status);
		if (signal != (SIGTRAP | 0x80))
			continue;
		signal = 0;
		struct __ptrace_syscall_info info;
		ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			fprintf(stderr, "call %#llx %#llx %#llx %#llx\n",
				(unsigned long long)info.entry.nr,
				(unsigned long long)info.entry.args[0],
				(unsigned long long)info.entry.args[1],
				(unsigned long long)info.entry.args[2]);
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "end signal %d\n", WTERMSIG(status));
	else
		fprintf(stderr, "end exit %d\n", WEXITSTATUS(status));
	return 0;
}
