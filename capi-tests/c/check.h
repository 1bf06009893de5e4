/* What the programs of this directory check with: each says what failed, and ends with `done()`. */
#ifndef CHECK_H
#define CHECK_H

#include <cmc.h>

#include <stdio.h>
#include <string.h>

static int check_failures;

static inline int check_(int holds, const char *what, const char *file, int line)
{
    if (!holds) {
        printf("%s:%d: %s\n", file, line, what);
        check_failures++;
    }
    return holds;
}

static inline void ok_(CmcStatus status, const char *what, const char *file, int line)
{
    if (!check_(status == CMC_OK, what, file, line))
        printf("  status %d: %s\n", (int)status, cmc_last_error());
}

static inline void fails_(CmcStatus status, CmcStatus wanted, const char *part, const char *what,
                          const char *file, int line)
{
    const char *said = cmc_last_error();
    if (!check_(status == wanted && strstr(said, part) != NULL, what, file, line))
        printf("  status %d, not %d, or \"%s\" is not in: %s\n", (int)status, (int)wanted, part, said);
}

static inline void text_(const char *text, const char *wanted, const char *what, const char *file,
                         int line)
{
    if (!check_(text != NULL && strcmp(text, wanted) == 0, what, file, line))
        printf("  \"%s\", not \"%s\"\n", text == NULL ? "NULL" : text, wanted);
}

#define CHECK(what) check_((what) ? 1 : 0, #what, __FILE__, __LINE__)
/* The call succeeds. */
#define OK(call) ok_((call), #call, __FILE__, __LINE__)
/* The call fails so, and its sentence holds `part`. */
#define FAILS(call, status, part) fails_((call), (status), (part), #call, __FILE__, __LINE__)
#define TEXT(text, wanted) text_((text), (wanted), #text, __FILE__, __LINE__)

static inline int done(void)
{
    if (check_failures > 0)
        printf("%d failed\n", check_failures);
    return check_failures > 0;
}

/* What a result says. */
static inline CmcVerdict verdict_of(const CmcResult *result)
{
    CmcVerdict verdict = (CmcVerdict)0;
    OK(cmc_result_verdict(result, &verdict));
    return verdict;
}

static inline CmcCounts counts_of(const CmcResult *result)
{
    CmcCounts counts;
    memset(&counts, 0, sizeof counts);
    OK(cmc_result_counts(result, &counts));
    return counts;
}

static inline const char *why_of(const CmcResult *result)
{
    const char *why = NULL;
    OK(cmc_result_why(result, &why));
    return why == NULL ? "" : why;
}

/* The property that violation 0 breaks; "" if there is no violation. */
static inline const char *broken_by(const CmcResult *result)
{
    const char *property = "", *why = NULL;
    size_t count = 0;
    OK(cmc_result_violations(result, &count));
    if (count > 0)
        OK(cmc_result_violation(result, 0, &property, &why));
    return property;
}

/* Search, and expect a result. */
static inline CmcResult *searched(const CmcModel *model, const CmcSearch *how)
{
    CmcResult *result = NULL;
    OK(cmc_search(model, how, &result));
    return result;
}

#endif
