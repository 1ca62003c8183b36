/*
 * patterns.h - the distinct regular expressions of a job
 *
 * Several tracks may name one pattern: it is compiled once, and searched
 * once in each distinct name.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/match.h"

#define PATTERN_NONE UINT32_MAX

struct patterns {
    struct matcher **matchers; /* [count] */
    uint32_t count;
};

/*
 * The number of a pattern, compiled now when it is new; `option` is what a
 * message calls it, and outlives the set. PATTERN_NONE with *error set.
 */
uint32_t patterns_add(struct patterns *patterns, const char *option, const char *pattern, struct lt_error *error);

/* 64-bit words that a name's matches take. */
static inline uint32_t patterns_words(const struct patterns *patterns)
{
    return (patterns->count + 63) / 64;
}

static inline bool patterns_hit(const uint64_t *matches, uint32_t pattern)
{
    return pattern != PATTERN_NONE && (matches[pattern / 64] >> pattern % 64 & 1) != 0;
}

/*
 * Searches all patterns in a name; bit p of matches[patterns_words()] tells of
 * pattern p. `kind` is what the name is of, for a message. False with *error
 * set when one gave up; *any: whether one matched.
 */
bool patterns_search(const struct patterns *patterns, const char *file, const char *kind, const char *name, size_t len,
                     uint64_t *matches, bool *any, struct lt_error *error);

void patterns_free(struct patterns *patterns);

#endif
