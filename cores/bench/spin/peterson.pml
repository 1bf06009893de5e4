/* The model of ../peterson in Promela, in the same encoding: a byte for each process, its level
 * and what it does, and who came last to each level. One process of Promela, and each action one
 * d_step, so that Spin's states and transitions are the algorithm's. The invariant is asserted
 * where it can break: at the door. */

#ifndef N
#define N 5
#endif
#if N > 6
#error "peterson.pml: N is 6 at most"
#endif

#define IDLE 0
#define WAIT 1
#define Q2 2
#define CRITICAL 3
#define Q3 4

byte process[N], last[N - 1];

#define DOING(i) (process[i] & 15)
#define LEVEL(i) (process[i] >> 4)
#define AT(level, doing) ((level) << 4 | doing)

#define IN(i) (N > i && process[i % N] == AT(N - 1, CRITICAL))
#define INSIDE (IN(0) + IN(1) + IN(2) + IN(3) + IN(4) + IN(5))

/* Only in Q3 are two actions possible at once, so that two options are enough for a process. */
#define PROCESS(i)                                                                                 \
    :: d_step { DOING(i) < Q3 ||                                                                   \
                (DOING(i) < Q3 + N &&                                                              \
                 (DOING(i) == Q3 + i || LEVEL(DOING(i) - Q3) < LEVEL(i))) ->                       \
                if                                                                                 \
                :: DOING(i) >= Q3 -> process[i] = process[i] + 1                                   \
                :: DOING(i) == Q2 ->                                                               \
                   last[LEVEL(i) - 1] = i; process[i] = AT(LEVEL(i), Q3)                           \
                :: DOING(i) == WAIT && LEVEL(i) < N - 1 ->                                         \
                   process[i] = AT(LEVEL(i) + 1, Q2)                                               \
                :: process[i] == AT(N - 1, WAIT) ->                                                \
                   process[i] = AT(N - 1, CRITICAL); assert(INSIDE == 1)                           \
                :: process[i] == AT(0, IDLE) -> process[i] = AT(0, WAIT)                           \
                :: process[i] == AT(N - 1, CRITICAL) -> process[i] = AT(0, IDLE)                   \
                fi }                                                                               \
    :: d_step { DOING(i) >= Q3 && (DOING(i) == Q3 + N || last[LEVEL(i) - 1] != i) ->               \
                process[i] = AT(LEVEL(i), WAIT) }

active proctype peterson()
{
end:
    do
    PROCESS(0)
    PROCESS(1)
#if N > 2
    PROCESS(2)
#endif
#if N > 3
    PROCESS(3)
#endif
#if N > 4
    PROCESS(4)
#endif
#if N > 5
    PROCESS(5)
#endif
    od
}
