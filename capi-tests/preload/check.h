/*
 * CHECK(what): what is not so ends the program with status 1 and the place.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                                     \
	do {                                                                            \
		if (!(what)) {                                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			_Exit(1);                                                       \
		}                                                                       \
	} while (0)

#endif
