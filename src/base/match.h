/*
 * match.h - regular expressions over names (PCRE2)
 */
#ifndef MATCH_H
#define MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct matcher;

/*
 * Compiles a pattern (UTF, UCP; bytes that are not UTF-8 in a subject match
 * nothing). `option` is the name under which the pattern was given. NULL on
 * failure, with *error set (LT_USAGE, with the place in the pattern).
 */
struct matcher *matcher_new(const char *option, const char *pattern, struct lt_error *error);

/* 1: the name holds a match; 0: it does not; -1: a limit was hit, see matcher_error(). */
int matcher_search(struct matcher *matcher, const char *name, size_t len);

/* LT_SELECTION after matcher_search() gave -1: which pattern, which name (of a `kind`: "kernel"), which limit. */
enum lt_status matcher_error(const struct matcher *matcher, const char *file, const char *kind, const char *name,
                             size_t len, struct lt_error *error);

/* The pattern as it was given. */
const char *matcher_pattern(const struct matcher *matcher);

void matcher_free(struct matcher *matcher);

#endif
