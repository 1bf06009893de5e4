/* count: ideal=33 stale=33 histories=327
 * expect: verdict=pass states=33 raw_fallbacks=0 disagreed=0
 *
 * list, with the receive buffer cleared after use: nothing keeps the last key.
 *
 * 33 = accept 1 + 2^n sets, n = 5.
 */
#define CLEARED
#include "list.c"
