/*
 * error.h - how the library says what went wrong
 */
#ifndef ERROR_H
#define ERROR_H

#include "layertrack.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))
#else
#define PRINTF_LIKE(a, b)
#endif

/* Takes away what an earlier job left, or what was never set: every public function begins with it. */
void error_reset(struct lt_error *error);

/*
 * Fills *error with a status and a sentence ("what; what to do") and returns
 * the status, so that a failing function can `return fail(...)`. The first
 * failure wins: an error that is already set is kept.
 */
enum lt_status fail(struct lt_error *error, enum lt_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same about a file and an errno value: LT_IO, "FILE: what: strerror; what to do". */
enum lt_status fail_errno(struct lt_error *error, const char *file, const char *what, int errnum);

/* The same for writing, where a reader that went away (EPIPE) has words of its own. */
enum lt_status fail_write(struct lt_error *error, const char *file, int errnum);

enum lt_status fail_memory(struct lt_error *error);

/* The caller wanted no more of the job on `name`. */
enum lt_status fail_cancelled(struct lt_error *error, const char *name);

#endif
