# Functions whose live registers and slots are known. A line "#: PLACE CELL=READS ..." says when what
# is in a cell at the label PLACE is read before it is written: always, or if the caller reads one of
# the registers in braces. [N] is the slot of four bytes N from the canonical frame address.
        .text

#: passed.at rbx={rbx} rbp={rbp} r12={r12} rdi={} rcx={} r11={} rax={rax} rdx={rdx} zmm2={} flags={}
        .globl passed, passed.at
passed: .cfi_startproc
        subq $8, %rsp
        .cfi_def_cfa_offset 16
        call wait@PLT
passed.at:
        addq $8, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# What was saved follows the caller; what is restored is dead before, unless it is read.
#: saved.at rbx={} rbp=always r12={r12} [-16]={rbx} [-12]={rbx} [-24]={rbp} [-20]={rbp} [-32]={} [-8]=always
        .globl saved, saved.at
saved:  .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        pushq %rbp
        .cfi_def_cfa_offset 24
        .cfi_offset rbp, -24
        subq $8, %rsp
        .cfi_def_cfa_offset 32
        movq %rdi, %rbp
        call wait@PLT
saved.at:
        movl (%rbp), %eax
        addq $8, %rsp
        .cfi_def_cfa_offset 24
        popq %rbp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# A word whose upper half is overwritten before it is read dies by halves; a copy in a register lives
# as long as that is read.
#: torn.at [-16]=always [-12]={} [-24]={rcx} [-20]={rcx} [-32]={rax} [-28]={rax} [-40]=always [-36]={}
        .globl torn, torn.at
torn:   .cfi_startproc
        subq $40, %rsp
        .cfi_def_cfa_offset 48
        movq %rdi, 32(%rsp)
        movq %rsi, 24(%rsp)
        movq %rdx, 16(%rsp)
        movl %ecx, 8(%rsp)
        call wait@PLT
torn.at:
        movl $7, 36(%rsp)
        movq 32(%rsp), %rdi
        movl %edi, (%rdi)
        movq 24(%rsp), %rcx
        movzbl 8(%rsp), %edx
        movb %dl, 1(%rdi)
        movq 16(%rsp), %rax
        addq $40, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# A write of 32 bits overwrites a register, one of 16 or 8 does not; nothing is read to be cleared.
#: widths.at rbx={} rbp=always r12={} r13=always r14={r14} r15={} [-56]={r15} [-48]={r13}
        .globl widths, widths.at
widths: .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        pushq %rbp
        .cfi_def_cfa_offset 24
        .cfi_offset rbp, -24
        pushq %r12
        .cfi_def_cfa_offset 32
        .cfi_offset r12, -32
        subq $8, %rsp
        .cfi_def_cfa_offset 40
        pushq %r13
        .cfi_def_cfa_offset 48
        .cfi_offset r13, -48
        pushq %r15
        .cfi_def_cfa_offset 56
        .cfi_offset r15, -56
        call wait@PLT
widths.at:
        movl $1, %ebx
        movw $1, %bp
        xorl %r12d, %r12d
        testl %eax, %eax
        cmovneq %rax, %r13
        subq %r15, %r15
        movq %rbx, (%rax)
        movq %rbp, (%rax)
        movq %r12, (%rax)
        movq %r13, (%rax)
        movq %r15, (%rax)
        popq %r15
        .cfi_def_cfa_offset 48
        popq %r13
        .cfi_def_cfa_offset 40
        addq $8, %rsp
        .cfi_def_cfa_offset 32
        popq %r12
        .cfi_def_cfa_offset 24
        popq %rbp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# Behind the kernel, what it overwrites is dead; the red zone is the function's own.
#: kernel.at rax={} rcx={} r11={} rdi=always rsi={rsi} r9={r9} zmm3={zmm3} k1={k1} [-16]=always [-12]={} [-24]={}
        .globl kernel, kernel.at
kernel:
here:   .cfi_startproc
        movl %esi, -8(%rsp)
        syscall
kernel.at:
        movl -8(%rsp), %eax
        movl %eax, (%rdi)
        cmpq $-4095, %rax
        ret
        .cfi_endproc

# Where control goes to the unknown, only what is the caller's is not read.
#: table.at rbx=always r12={r12} [-16]={rbx} [-24]=always [-32]=always
        .globl table, table.at
table:  .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        subq $16, %rsp
        .cfi_def_cfa_offset 32
        movq %rdi, 8(%rsp)
        call wait@PLT
table.at:
        jmp *(%rax,%rax,8)
        addq $16, %rsp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# A tail call by the loader's table takes arguments, and gives the rest back to the caller.
#: onward.at rbx={} r12={r12} [-16]={rbx} [-24]={} rdi={} rax=always
        .globl onward, onward.at
onward: .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        subq $16, %rsp
        .cfi_def_cfa_offset 32
        movq %rdi, 8(%rsp)
        call wait@PLT
onward.at:
        addq $16, %rsp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        jmp *wait@GOTPCREL(%rip)
        .cfi_endproc

# An address that escapes takes the whole frame, but for what is saved. The test says where objects
# are: arrays of 8 bytes at -64 and of 16 at -48, a number at -28.
#: escape.at [-16]={rbx} [-24]=always [-28]=always [-48]=always
#: escape.at objects [-16]={rbx} [-24]={rcx} [-28]={} [-32]=always [-36]=always [-48]=always [-52]={}
        .globl escape, escape.at
escape: .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        subq $48, %rsp
        .cfi_def_cfa_offset 64
        movl %esi, 36(%rsp)
        movl %esi, 40(%rsp)
        movl %esi, 12(%rsp)
        movl 36(%rsp), %eax
        movl 12(%rsp), %eax
        leaq 16(%rsp), %rdi
        call wait@PLT
escape.at:
        movl 40(%rsp), %ecx
        addq $48, %rsp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# An index may have a constant folded into it, so it may reach every object.
#: index.at objects [-28]=always [-40]=always [-60]=always [-52]={}
        .globl index, index.at
index:  .cfi_startproc
        subq $56, %rsp
        .cfi_def_cfa_offset 64
        movl %esi, 36(%rsp)
        movl 36(%rsp), %eax
        movl %esi, 12(%rsp)
        movl 12(%rsp), %eax
        movb %sil, 16(%rsp,%rdi)
        call wait@PLT
index.at:
        addq $56, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# Without optimisation the frame pointer is the frame's base, and whoever looks for the caller needs it.
#: based.at rbp=always [-16]={rbp} [-20]=always [-24]={} [-40]={}
        .globl based, based.at
based:  .cfi_startproc
        pushq %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq %rsp, %rbp
        .cfi_def_cfa_register rbp
        subq $32, %rsp
        movl %edi, -4(%rbp)
        movl %esi, -8(%rbp)
        call wait@PLT
based.at:
        movl %eax, -8(%rbp)
        movl -4(%rbp), %edx
        movl %edx, (%rax)
        movl -8(%rbp), %eax
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc

# With a stack pointer that varies only what is saved is known.
#: varies.at rbp=always [-16]={rbp} [-24]={rbx} [-32]=always
        .globl varies, varies.at
varies: .cfi_startproc
        pushq %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq %rsp, %rbp
        .cfi_def_cfa_register rbp
        pushq %rbx
        .cfi_offset rbx, -24
        subq $8, %rsp
        subq %rdi, %rsp
        movq %rsp, %rbx
        movq %rdi, (%rsp)
        call wait@PLT
varies.at:
        movq %rax, (%rbx)
        movq -8(%rbp), %rbx
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc

# Arguments on the stack are the callee's.
#: pushed.at [-16]={} [-24]=always [-32]=always
        .globl pushed, pushed.at
pushed: .cfi_startproc
        subq $8, %rsp
        .cfi_def_cfa_offset 16
        pushq %rdi
        .cfi_def_cfa_offset 24
        pushq $7
        .cfi_def_cfa_offset 32
        call wait@PLT
pushed.at:
        addq $24, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# A callee of the same file may be known to leave a register alone.
#: local.at r9=always rdx=always rcx={rcx} zmm8={zmm8}
        .globl local, local.at
local:  .cfi_startproc
        call here
local.at:
        movq %r9, (%rax)
        movq %rdx, (%rax)
        ret
        .cfi_endproc

# A cold part belongs to its function.
#: warm.at rbx=always [-16]={rbx} [-24]=always [-20]={}
        .globl warm, warm.at
warm:   .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        subq $8, %rsp
        .cfi_def_cfa_offset 24
        movq %rdi, (%rsp)
        call wait@PLT
warm.at:
        testl %eax, %eax
        jne cold
back:   addq $8, %rsp
        .cfi_def_cfa_offset 16
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .section .text.unlikely, "ax"
cold:   .cfi_startproc
        .cfi_def_cfa_offset 24
        .cfi_offset rbx, -16
        movl (%rsp), %eax
        movl %eax, (%rbx)
        jmp back
        .cfi_endproc
        .text

# Behind a function that returns twice nothing is known.
#: twice.at rbx=always rdi=always r12=always [-16]=always
        .globl twice, twice.at
twice:  .cfi_startproc
        pushq %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        call _setjmp@PLT
        call wait@PLT
twice.at:
        popq %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc

# A call that does not return may be the last instruction.
#: last.at rbx={rbx} rdi={} rsp=always
        .globl last, last.at
last:   .cfi_startproc
        subq $8, %rsp
        .cfi_def_cfa_offset 16
        call wait@PLT
last.at:
        .cfi_endproc
        .section .note.GNU-stack, "", @progbits
