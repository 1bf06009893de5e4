/* Sets of small numbers as bits. Calls nothing, not even the compiler's own popcount(), which is a
 * function call on a plain x86-64. */

#ifndef BITS_H
#define BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Words that hold `count` bits. */
static inline unsigned bits_words(unsigned count)
{
    return (count + 63) / 64;
}

static inline bool bits_has(const uint64_t *set, unsigned member)
{
    return set[member / 64] >> member % 64 & 1;
}

static inline void bits_add(uint64_t *set, unsigned member)
{
    set[member / 64] |= UINT64_C(1) << member % 64;
}

static inline void bits_clear(uint64_t *set, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        set[i] = 0;
}

/* The smallest member that is not below `from`, or 64 * words. */
static inline unsigned bits_next(const uint64_t *set, unsigned words, unsigned from)
{
    for (unsigned i = from / 64; i < words; i++) {
        uint64_t word = set[i];
        if (i == from / 64)
            word &= ~UINT64_C(0) << from % 64;
        if (word)
            return i * 64 + (unsigned)__builtin_ctzll(word);
    }
    return words * 64;
}

/* Runs through the members of a set in ascending order. */
#define EACH_BIT(member, set, words) \
    unsigned member = bits_next(set, words, 0); member < 64 * (words); \
    member = bits_next(set, words, member + 1)

/* How many members a set of at most 32 has. */
static inline unsigned bits_count(unsigned set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

#endif
