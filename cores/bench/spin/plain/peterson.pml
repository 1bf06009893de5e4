/* Peterson's lock in Promela as a user of Spin writes it, after the model of it that comes with Spin
 * (Examples/LTL/petersonN.pml): shared arrays of bytes, and a process of Spin for each process, with
 * its variables and its place in the program. The level that it tries for, j, says what is next at the
 * head of the loop. A step of the algorithm is a d_step, so that Spin's states and transitions are the
 * algorithm's. `critical` follows from the rest and is there for the assertion. */

#ifndef N
#define N 5
#endif

byte pos[N], step[N];
byte critical;

active [N] proctype user()
{
    byte j, k;

    do
    :: d_step { j == 0 -> j = 1 }
    :: d_step { j > 0 && j < N -> pos[_pid] = j };
       d_step { step[j - 1] = _pid; k = 0 };
       do
       :: d_step { k < N && (k == _pid || pos[k] < j) -> k++ }
       :: d_step { k == N || step[j - 1] != _pid -> j++; k = 0 } -> break
       od
    :: d_step { j == N -> critical++; assert(critical == 1) };
       d_step { critical--; pos[_pid] = 0; j = 0 }
    od
}
