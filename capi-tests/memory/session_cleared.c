/* count: ideal=40 stale=82 histories=309
 * expect: verdict=pass states>=40 states<=82 raw_fallbacks=0 disagreed=0
 *
 * session, with the request cleared after use: 40 states of a wait with the
 * list of accounts, and 82 with all that may tell more apart.
 */
#define CLEARED
#include "session.c"
