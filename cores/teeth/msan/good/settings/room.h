/* How many copies a state has room for. */

#ifndef ROOM_H
#define ROOM_H

#include <stdbool.h>

bool has_room(unsigned copies);

#endif
