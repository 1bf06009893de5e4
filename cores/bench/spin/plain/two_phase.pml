/* TwoPhase in Promela as a user of Spin writes it: the variables of the specification in arrays, a
 * process for each resource manager and one for the transaction manager, each in a loop of guarded
 * actions. A message is a flag that stays set, as the specification has it: a channel would lose the
 * message that is received. An action is a d_step, so that Spin's states and transitions are the
 * specification's. `some_committed` and `some_aborted` follow from the rest and are there for the
 * assertion. */

#ifndef RMS
#define RMS 8
#endif
#if RMS > 8
#error "two_phase.pml: RMS is 8 at most"
#endif

mtype = { working, prepared, undecided, committed, aborted };

mtype rm[RMS] = working;
mtype tm = undecided;
bool tm_prepared[RMS];
bool msg_prepared[RMS], msg_commit, msg_abort;
bool some_committed, some_aborted;

active [RMS] proctype resource_manager()
{
    do
    :: d_step { rm[_pid] == working -> rm[_pid] = prepared; msg_prepared[_pid] = true }
    :: d_step { rm[_pid] == working ->
                rm[_pid] = aborted; some_aborted = true; assert(!some_committed) }
    :: d_step { msg_commit -> rm[_pid] = committed; some_committed = true; assert(!some_aborted) }
    :: d_step { msg_abort -> rm[_pid] = aborted; some_aborted = true; assert(!some_committed) }
    od
}

#define HEARD(i) tm_prepared[(i) % RMS]
#define HEARD_ALL                                                                                  \
    (HEARD(0) && HEARD(1) && HEARD(2) && HEARD(3) && HEARD(4) && HEARD(5) && HEARD(6) && HEARD(7))

#define HEAR(i) :: d_step { tm == undecided && msg_prepared[i] -> tm_prepared[i] = true }

active proctype transaction_manager()
{
    do
    :: d_step { tm == undecided && HEARD_ALL -> tm = committed; msg_commit = true }
    :: d_step { tm == undecided -> tm = aborted; msg_abort = true }
    HEAR(0)
#if RMS > 1
    HEAR(1)
#endif
#if RMS > 2
    HEAR(2)
#endif
#if RMS > 3
    HEAR(3)
#endif
#if RMS > 4
    HEAR(4)
#endif
#if RMS > 5
    HEAR(5)
#endif
#if RMS > 6
    HEAR(6)
#endif
#if RMS > 7
    HEAR(7)
#endif
    od
}
