/*
 * The calls that may be answered inside of the process, as functions of their own names.
 *
 * Whether a call is answered here or by the checker must not show. So both ways lead through one
 * function that leaves the same behind: every register that libc's function preserves is preserved,
 * those that the instruction `syscall` spoils are zero, and nothing is written to the program's stack.
 * That is why it is written in assembly, and why what looks at a call (answer.c) has a stack of its own,
 * in memory that is shared with the checker and is no part of the program's state.
 *
 * Where the log is not armed, as it never is without a checker, nothing but the system call is made:
 * then several threads may be here at once.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, in log.h */
#include "enter.h"

#include "log.h"
#include "raw.h"

/* Numbers that the assembler can read. */
#define LOG_BASE 0x1cf98f000000
#define OWN_STACK_END 2560
_Static_assert(LOG_BASE == CMC_LOG_BASE && OWN_STACK_END == CMC_LOG_AT_OWN_STACK_END, "one number");
_Static_assert(CMC_LOG_AT_ARMED == 0, "LOOK compares the first word");

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

/*
 * Look at the call in %eax, whose arguments are in the registers of a function: go on at 1 where it is
 * to be made, else return its answer. The order of what is pushed is that of struct cmc_call.
 */
#define LOOK                                                                                        \
	"	movabs	$" TEXT(LOG_BASE) ", %r11\n"                                                \
	"	cmpq	$0, (%r11)\n"                                                               \
	"	je	1f\n"                                                                       \
	"	mov	%rsp, " TEXT(OWN_STACK_END) "-16(%r11)\n"                                   \
	"	lea	" TEXT(OWN_STACK_END) "-16(%r11), %rsp\n"                                   \
	"	push	%rdi\n"                                                                     \
	"	push	%rsi\n"                                                                     \
	"	push	%rdx\n"                                                                     \
	"	push	%rcx\n"                                                                     \
	"	push	%r8\n"                                                                      \
	"	push	%r9\n"                                                                      \
	"	push	%r10\n"                                                                     \
	"	push	%rax\n"                                                                     \
	"	mov	%rsp, %rdi\n"                                                               \
	"	call	cmc_answer\n"                                                               \
	"	test	%eax, %eax\n"                                                               \
	"	pop	%rax\n"                                                                     \
	"	pop	%r10\n"                                                                     \
	"	pop	%r9\n"                                                                      \
	"	pop	%r8\n"                                                                      \
	"	pop	%rcx\n"                                                                     \
	"	pop	%rdx\n"                                                                     \
	"	pop	%rsi\n"                                                                     \
	"	pop	%rdi\n"                                                                     \
	"	pop	%rsp\n"                                                                     \
	"	jz	1f\n"                                                                       \
	"2:	xor	%ecx, %ecx\n"                                                               \
	"	xor	%r11d, %r11d\n"                                                             \
	"	ret\n"                                                                              \
	"1:	syscall\n"

#define BEGIN(name)                                                                                 \
	".text\n"                                                                                   \
	".p2align 4\n"                                                                              \
	".globl " name "\n"                                                                         \
	".type " name ", @function\n" name ":\n"                                                    \
	"	.cfi_startproc\n"                                                                   \
	"	endbr64\n"

#define END(name)                                                                                   \
	"	.cfi_endproc\n"                                                                     \
	".size " name ", .-" name "\n"

/* A function of libc: -1 and errno where the call fails. */
#define FUNCTION(name, number, more)                                                                \
	__asm__(BEGIN(#name) more "	mov	$" TEXT(number) ", %eax\n" LOOK                     \
		"	cmp	$-4096, %rax\n"                                                     \
		"	jbe	2b\n"                                                               \
		"	jmp	cmc_failed\n" END(#name))

/* As libc's functions leave the registers of arguments that go elsewhere, or that are not there. */
#define FOUR "	mov	%rcx, %r10\n"
#define SIX                                                                                         \
	FOUR "	xor	%r8d, %r8d\n"                                                               \
	     "	xor	%r9d, %r9d\n"

FUNCTION(write, 1, "");
FUNCTION(close, 3, "");
FUNCTION(getpid, 39, "");
FUNCTION(socket, 41, "");
FUNCTION(connect, 42, "");
FUNCTION(send, 44, SIX);
FUNCTION(bind, 49, "");
FUNCTION(listen, 50, "");
FUNCTION(setsockopt, 54, FOUR);
FUNCTION(clock_gettime, 228, "");

/* The answer is in %rax: a small negative number. */
__asm__(".text\n"
	".type cmc_failed, @function\n"
	"cmc_failed:\n"
	"	.cfi_startproc\n"
	"	neg	%eax\n"
	"	push	%rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	*__errno_location@GOTPCREL(%rip)\n"
	"	pop	%rcx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	mov	%ecx, (%rax)\n"
	"	mov	$-1, %rax\n"
	"	xor	%ecx, %ecx\n"
	"	xor	%r11d, %r11d\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size cmc_failed, .-cmc_failed\n");

__asm__(".hidden cmc_enter3\n" BEGIN("cmc_enter3")
	"	mov	%rcx, %rax\n"
	"	xor	%r10d, %r10d\n"
	"	xor	%r8d, %r8d\n"
	"	xor	%r9d, %r9d\n" LOOK
	"	jmp	2b\n" END("cmc_enter3"));
