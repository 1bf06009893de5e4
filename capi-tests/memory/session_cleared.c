/* count: ideal=? stale=? histories=?
 * expect: verdict=pass states>=? states<=? raw_fallbacks=0 disagreed=0
 *
 * session, with the request cleared after use.
 */
#define CLEARED
#include "session.c"
