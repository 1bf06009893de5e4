/* What a probe says of itself: "NAME OFFSET SIZE" of variables in the frame of the caller, by the
 * canonical frame address that the unwinder of the C library finds; and linked addresses. */
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>

struct frame {
    uintptr_t pc, cfa;
    int depth;
};

extern char __ehdr_start[] __attribute__((visibility("hidden")));

static inline uintptr_t linked(const void *address)
{
#ifdef __PIE__
    return (uintptr_t)address - (uintptr_t)__ehdr_start;
#else
    return (uintptr_t)address;
#endif
}

/* In frame N the unwinder gives the frame address of frame N - 1. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument)
{
    struct frame *frame = argument;
    if (frame->depth == 1)
        frame->pc = _Unwind_GetIP(context);
    if (frame->depth == 2)
        frame->cfa = _Unwind_GetCFA(context);
    return ++frame->depth == 3 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static __attribute__((noinline, unused)) void caller(struct frame *frame)
{
    *frame = (struct frame){0, 0, 0};
    _Unwind_Backtrace(visit, frame);
    /* Not a jump: there has to be a frame of this function. */
    __asm__ volatile("");
}

static __attribute__((noinline, unused)) void escape(void *address)
{
    __asm__ volatile("" : : "r"(address) : "memory");
}

#define SAY_FRAME(name, frame) printf("pc %s %#lx 0\n", name, linked((void *)(frame).pc))
#define SAY(frame, variable) \
    printf("frame %s %ld %zu\n", #variable, (long)((uintptr_t)&(variable) - (frame).cfa), sizeof(variable))
