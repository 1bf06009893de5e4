/* count: ideal=81 stale=81 histories=327
 * expect: verdict=pass states=81 raw_fallbacks=0 disagreed=0
 *
 * hash_sorted, with the newest key at the head of its chain: the order inside
 * of a chain is true structure, which the answers show, and fewer states are a
 * failure.
 *
 * 81 = accept 1 + 16 * 5: the orders of the subsets of 1, 3, 5 are
 * 1 + 3 + 6 + 6, those of 2, 4 are 1 + 2 + 2.
 */
#define BY_INSERTION
#include "hash_sorted.c"
