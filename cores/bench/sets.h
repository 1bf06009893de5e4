/* Sets of small numbers as the bits of a word, taken by their members. */

#ifndef SETS_H
#define SETS_H

/* The smallest member of a set that is not empty. */
static inline unsigned first_of(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

/* The largest. */
static inline unsigned last_of(unsigned set)
{
    return 31u - (unsigned)__builtin_clz(set);
}

#endif
