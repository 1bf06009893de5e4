/* The text of states and actions in traces. Text that does not fit is counted, as by snprintf(). */

#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Text {
    char *text;
    size_t cap, len;
} Text;

/* Append text. */
__attribute__((format(printf, 2, 3))) static inline void text_add(Text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t used = to->len < to->cap ? to->len : to->cap;
    int len = vsnprintf(used < to->cap ? to->text + used : NULL, to->cap - used, format, arguments);
    va_end(arguments);
    if (len > 0)
        to->len += (size_t)len;
}

/* Begin the next word. */
static inline void text_space(Text *to)
{
    if (to->len > 0)
        text_add(to, " ");
}

/* Append a set of numbers, `first` being that of bit 0. */
static inline void text_set(Text *to, uint64_t bits, unsigned first)
{
    text_add(to, "{");
    for (unsigned i = 0, more = 0; i < 64; i++)
        if (bits >> i & 1)
            text_add(to, "%s%u", more++ ? "," : "", first + i);
    text_add(to, "}");
}

#endif
