/* For inline_global.c: what is written is not in the core's file. */

static uint64_t counter;

static inline uint64_t counted(void)
{
    return counter++;
}
