/* The model of ../paxos_ballots in Promela, in the same encoding: for each kind of message and
 * each sender or value the ballots for which it was sent, as bits. One process, and each action
 * one d_step, so that Spin's states and transitions are the specification's. The invariant is
 * asserted where it can break: values are chosen by votes. */

#ifndef BALLOTS
#define BALLOTS 4
#endif
#if BALLOTS > 4
#error "paxos_ballots.pml: BALLOTS is 4 at most"
#endif
#if defined(VALUES) && VALUES != 2
#error "paxos_ballots.pml: VALUES is 2"
#endif

byte sent_1a, sent_1b[3], sent_2b[3], sent_2a[2];

#define CHOSEN_IN                                                                                  \
    ((sent_2b[0] & sent_2b[1]) | (sent_2b[1] & sent_2b[2]) | (sent_2b[2] & sent_2b[0]))
#define ONE_CHOSEN assert(!((sent_2a[0] & CHOSEN_IN) && (sent_2a[1] & CHOSEN_IN)))

/* What acceptors x and y voted for below ballot b. */
#define VOTES(x, y, b) ((sent_2b[x] | sent_2b[y]) & ((1 << b) - 1))

/* The pair has promised b and lets v be proposed: no votes, or v has the last of them. Disjoint
 * sets compare as numbers as their last members do, so v has the last of the votes if those for v,
 * doubled, are not less than all. */
#define ALLOWS(x, y, b, v)                                                                         \
    ((sent_1b[x] & sent_1b[y] & (1 << b)) &&                                                       \
     2 * (VOTES(x, y, b) & sent_2a[v]) >= VOTES(x, y, b))

#define PROPOSE(b, v)                                                                              \
    :: d_step { !((sent_2a[0] | sent_2a[1]) & (1 << b)) &&                                         \
                (ALLOWS(0, 1, b, v) || ALLOWS(1, 2, b, v) || ALLOWS(2, 0, b, v)) ->                \
                sent_2a[v] = sent_2a[v] | (1 << b) }

#define ACCEPTOR(a, b)                                                                             \
    :: d_step { (sent_1a & (1 << b)) && !((sent_1b[a] | sent_2b[a]) >> b) ->                       \
                sent_1b[a] = sent_1b[a] | (1 << b) }                                               \
    :: d_step { ((sent_2a[0] | sent_2a[1]) & (1 << b)) &&                                          \
                !((sent_1b[a] | sent_2b[a]) >> (b + 1)) ->                                         \
                sent_2b[a] = sent_2b[a] | (1 << b); ONE_CHOSEN }

#define BALLOT(b)                                                                                  \
    :: d_step { true -> sent_1a = sent_1a | (1 << b) }                                             \
    PROPOSE(b, 0)                                                                                  \
    PROPOSE(b, 1)                                                                                  \
    ACCEPTOR(0, b)                                                                                 \
    ACCEPTOR(1, b)                                                                                 \
    ACCEPTOR(2, b)

active proctype paxos_ballots()
{
end:
    do
    BALLOT(0)
#if BALLOTS > 1
    BALLOT(1)
#endif
#if BALLOTS > 2
    BALLOT(2)
#endif
#if BALLOTS > 3
    BALLOT(3)
#endif
    od
}
