/* The model of ../two_phase in Promela, in the same encoding: sets of resource managers are bits,
 * and nothing is kept that follows from the rest. One process, and each action one d_step, so that
 * Spin's states and transitions are the specification's. The invariant is asserted where it can
 * break. */

#ifndef RMS
#define RMS 8
#endif
#if RMS > 8
#error "two_phase.pml: RMS is 8 at most, the bits of a byte"
#endif

#define ALL ((1 << RMS) - 1)

#define INIT 0
#define COMMITTED 1
#define ABORTED 2

byte committed, aborted, sent, heard, tm;

#define CONSISTENT assert(!(committed && aborted))

/* What a resource manager is told, or tells, depends on tm: never two of it are possible at once.
 */
#define RM(i)                                                                                      \
    :: d_step { !((sent | committed | aborted) & (1 << i)) -> sent = sent | (1 << i) }             \
    :: d_step { !((sent | committed | aborted) & (1 << i)) ->                                      \
                aborted = aborted | (1 << i); CONSISTENT }                                         \
    :: d_step { tm != INIT || (sent & (1 << i)) ->                                                 \
                if                                                                                 \
                :: tm == INIT -> heard = heard | (1 << i)                                          \
                :: tm == COMMITTED ->                                                              \
                   committed = committed | (1 << i); aborted = aborted & ~(1 << i); CONSISTENT     \
                :: tm == ABORTED ->                                                                \
                   aborted = aborted | (1 << i); committed = committed & ~(1 << i); CONSISTENT     \
                fi }

active proctype two_phase()
{
end:
    do
    :: d_step { tm == INIT && heard == ALL -> tm = COMMITTED }
    :: d_step { tm == INIT -> tm = ABORTED }
    RM(0)
#if RMS > 1
    RM(1)
#endif
#if RMS > 2
    RM(2)
#endif
#if RMS > 3
    RM(3)
#endif
#if RMS > 4
    RM(4)
#endif
#if RMS > 5
    RM(5)
#endif
#if RMS > 6
    RM(6)
#endif
#if RMS > 7
    RM(7)
#endif
    od
}
