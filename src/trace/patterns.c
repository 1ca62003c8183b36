#include "trace/patterns.h"

#include <stdlib.h>
#include <string.h>

uint32_t patterns_add(struct patterns *patterns, const char *option, const char *pattern, struct lt_error *error)
{
    for (uint32_t i = 0; i < patterns->count; i++)
        if (strcmp(matcher_pattern(patterns->matchers[i]), pattern) == 0)
            return i;
    struct matcher **matchers = realloc(patterns->matchers, (patterns->count + 1) * sizeof *matchers);
    if (matchers == NULL) {
        fail_memory(error);
        return PATTERN_NONE;
    }
    patterns->matchers = matchers;
    matchers[patterns->count] = matcher_new(option, pattern, error);
    return matchers[patterns->count] == NULL ? PATTERN_NONE : patterns->count++;
}

bool patterns_search(const struct patterns *patterns, const char *file, const char *kind, const char *name, size_t len,
                     uint64_t *matches, bool *any, struct lt_error *error)
{
    *any = false;
    memset(matches, 0, patterns_words(patterns) * sizeof *matches);
    for (uint32_t i = 0; i < patterns->count; i++) {
        int found = matcher_search(patterns->matchers[i], name, len);
        if (found < 0) {
            matcher_error(patterns->matchers[i], file, kind, name, len, error);
            return false;
        }
        if (found == 1)
            matches[i / 64] |= (uint64_t)1 << i % 64;
        *any |= found == 1;
    }
    return true;
}

void patterns_free(struct patterns *patterns)
{
    for (uint32_t i = 0; i < patterns->count; i++)
        matcher_free(patterns->matchers[i]);
    free(patterns->matchers);
    *patterns = (struct patterns){0};
}
