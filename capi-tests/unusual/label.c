/* build: gcc -O0 -g
 * build: gcc -O1
 * build: gcc -O2 -g
 * send: 1 2 1
 * reply: k
 *
 * Labels of its own in assembly, as packages of light threads have them: the
 * program waits below a call that never returns, and goes on behind an earlier one.
 */
#include "../memory/one_byte.h"

struct label {
    void *registers[8];
};

int set_label(struct label *label) __attribute__((returns_twice));
void go_to_label(struct label *label, int value) __attribute__((noreturn));

__asm__(".text\n"
        ".type set_label, @function\n"
        "set_label: .cfi_startproc\n"
        "  mov %rbx, (%rdi)\n  mov %rbp, 8(%rdi)\n  mov %r12, 16(%rdi)\n"
        "  mov %r13, 24(%rdi)\n  mov %r14, 32(%rdi)\n  mov %r15, 40(%rdi)\n"
        "  lea 8(%rsp), %rax\n  mov %rax, 48(%rdi)\n"
        "  mov (%rsp), %rax\n  mov %rax, 56(%rdi)\n"
        "  xor %eax, %eax\n  ret\n"
        ".cfi_endproc\n"
        ".type go_to_label, @function\n"
        "go_to_label: .cfi_startproc\n"
        "  mov %esi, %eax\n"
        "  mov (%rdi), %rbx\n  mov 8(%rdi), %rbp\n  mov 16(%rdi), %r12\n"
        "  mov 24(%rdi), %r13\n  mov 32(%rdi), %r14\n  mov 40(%rdi), %r15\n"
        "  mov 48(%rdi), %rsp\n  jmp *56(%rdi)\n"
        ".cfi_endproc\n");

static struct label top;
static int conn;
static long shadow = 1;

static __attribute__((noinline, noreturn)) void work(void)
{
    char request = next_request(conn);
    if (request == '\0')
        exit(0);
    go_to_label(&top, request);
}

int main(int argc, char **argv)
{
    conn = next_connection(listener_on(own_port(argc, argv)));
    long sum = 1;
    for (;;) {
        volatile long tripled = sum * 3;
        long more = sum + 9;
        int request = set_label(&top);
        if (request == 0)
            work();
        sum = sum + tripled + more + request;
        shadow = shadow + shadow * 3 + shadow + 9 + request;
        answer(conn, sum == shadow ? 'k' : 'B');
        sum = shadow = 1 + sum % 7;
    }
}
