/*
 * answered PRELOAD ANSWER PROGRAM [ARGUMENT]: runs the program with the preload, answers its hello as
 * a checker would, and lets it go. Ends as the program ends.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	pid_t child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", argv[1], 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	int status;
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	unsigned long long number = 0;
	while (WIFSTOPPED(status)) {
		struct __ptrace_syscall_info info;
		ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			number = info.entry.nr;
		if (info.op == PTRACE_SYSCALL_INFO_EXIT && number == CMC_CALL_HELLO) {
			ptrace(PTRACE_POKEUSER, child, offsetof(struct user, regs.rax), atol(argv[2]));
			ptrace(PTRACE_DETACH, child, NULL, NULL);
			waitpid(child, &status, 0);
			if (WIFSIGNALED(status))
				raise(WTERMSIG(status));
			return WEXITSTATUS(status);
		}
		ptrace(PTRACE_SYSCALL, child, NULL, NULL);
		waitpid(child, &status, 0);
	}
	fprintf(stderr, "it did not say hello\n");
	return 2;
}
