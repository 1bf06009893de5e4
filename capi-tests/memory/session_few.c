/* count: ideal=9 stale=12 histories=17
 * expect: verdict=pass states>=9 states<=12 raw_fallbacks=0 disagreed=0
 *
 * session, with the request cleared after use, one client, and two accounts of
 * which one is paid into: 9 states of a wait with the list of accounts, the
 * newest first: before the client, none, ann, bob, both in either order, and
 * the three with ann where she has been paid.  What session.c says may tell more
 * apart makes 12.
 */
#define CLEARED
#include "session.c"
