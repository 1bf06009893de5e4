#include "room.h"

bool has_room(unsigned copies)
{
    return copies <= 4;
}
