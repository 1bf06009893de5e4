/* Paxos in Promela as a user of Spin writes it: the variables of the specification in arrays of bytes
 * and flags, a process for each acceptor and one for the leader of each ballot, each in a loop of
 * guarded actions. A message is an element that stays set, as the specification has it: a channel
 * would lose the message that is received. Ballots and values count from 1, and 0 is none. An action is
 * a d_step, so that Spin's states and transitions are the specification's. */

#ifndef BALLOTS
#define BALLOTS 4
#endif
#if BALLOTS > 4
#error "paxos_ballots.pml: BALLOTS is 4 at most"
#endif
#if defined(VALUES) && VALUES != 2
#error "paxos_ballots.pml: VALUES is 2"
#endif

#define ACCEPTORS 3

/* What an acceptor has promised in each ballot, with its last vote before. */
typedef Promises {
    bool sent[BALLOTS + 1];
    byte bal[BALLOTS + 1];
    byte val[BALLOTS + 1]
}

/* What it voted for in each ballot. */
typedef Votes {
    byte val[BALLOTS + 1]
}

byte max_bal[ACCEPTORS], max_vbal[ACCEPTORS], max_val[ACCEPTORS];
bool msg_1a[BALLOTS + 1];
Promises msg_1b[ACCEPTORS];
byte msg_2a[BALLOTS + 1];
Votes msg_2b[ACCEPTORS];

/* Acceptors x and y have promised b and let v be proposed: neither had voted, or the later of their
 * votes was for v. */
#define ALLOW(x, y, b, v)                                                                          \
    (msg_1b[x].sent[b] && msg_1b[y].sent[b] &&                                                     \
     ((msg_1b[x].bal[b] == 0 && msg_1b[y].bal[b] == 0) ||                                          \
      (msg_1b[x].bal[b] > msg_1b[y].bal[b] -> msg_1b[x].val[b] : msg_1b[y].val[b]) == v))

#define PROPOSE(b, v)                                                                              \
    d_step {                                                                                       \
        msg_2a[b] == 0 && (ALLOW(0, 1, b, v) || ALLOW(1, 2, b, v) || ALLOW(0, 2, b, v)) ->         \
        msg_2a[b] = v                                                                              \
    }

/* The value that two acceptors voted for in b is chosen. */
#define SAME(x, y, b) (msg_2b[x].val[b] != 0 && msg_2b[x].val[b] == msg_2b[y].val[b])
#define IS_CHOSEN(b) (SAME(0, 1, b) || SAME(1, 2, b) || SAME(0, 2, b))

byte chosen;

inline check_chosen(b)
{
    if
    :: IS_CHOSEN(b) ->
        assert(chosen == 0 || chosen == msg_2a[b]);
        chosen = msg_2a[b]
    :: else
    fi
}

#define ON_BALLOT(a, b)                                                                            \
    :: d_step {                                                                                    \
        msg_1a[b] && b > max_bal[a] ->                                                             \
        max_bal[a] = b;                                                                            \
        msg_1b[a].sent[b] = true;                                                                  \
        msg_1b[a].bal[b] = max_vbal[a];                                                            \
        msg_1b[a].val[b] = max_val[a]                                                              \
    }                                                                                              \
    :: d_step {                                                                                    \
        msg_2a[b] != 0 && b >= max_bal[a] ->                                                       \
        max_bal[a] = b;                                                                            \
        max_vbal[a] = b;                                                                           \
        max_val[a] = msg_2a[b];                                                                    \
        msg_2b[a].val[b] = msg_2a[b];                                                              \
        check_chosen(b)                                                                            \
    }

active [ACCEPTORS] proctype acceptor()
{
    do
    ON_BALLOT(_pid, 1)
#if BALLOTS > 1
    ON_BALLOT(_pid, 2)
#endif
#if BALLOTS > 2
    ON_BALLOT(_pid, 3)
#endif
#if BALLOTS > 3
    ON_BALLOT(_pid, 4)
#endif
    od
}

#define BALLOT (_pid - ACCEPTORS + 1)

active [BALLOTS] proctype leader()
{
    do
    :: msg_1a[BALLOT] = true
    :: PROPOSE(BALLOT, 1)
    :: PROPOSE(BALLOT, 2)
    od
}
