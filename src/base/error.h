/*
 * error.h - how the library says what went wrong
 *
 * Every sentence is "FILE: what; what to do". It is written as one format,
 * and taken apart by it: a file is what a leading "%s: " stands for, and what
 * to do follows the last "; " of the format (not of what it is filled with).
 */
#ifndef ERROR_H
#define ERROR_H

#include <stdarg.h>

#include "layertrack.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))
#else
#define PRINTF_LIKE(a, b)
#endif

/* Takes away what went wrong; who names things stays. */
void error_reset(struct lt_error *error);

/* How the caller of a job calls things; in lt_error's `own`, NULL: as the public header does. */
struct naming {
    lt_name_fn *name; /* may be NULL */
    void *ctx;
};

/* What a message calls a member, constant or function of the public header. */
const char *error_name(const struct lt_error *error, const char *name);

/*
 * Fills *error with a class and a sentence, and returns the status that goes
 * with it, so that a failing function can `return fail(...)`. The first
 * failure wins: an error that is already set is kept.
 */
enum lt_status fail_as(struct lt_error *error, enum lt_class class_id, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same with the class that is named after a status. */
enum lt_status fail(struct lt_error *error, enum lt_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* fail_as() with its arguments as a list. */
enum lt_status fail_list(struct lt_error *error, enum lt_class class_id, const char *format, va_list args)
    PRINTF_LIKE(3, 0);

/* Where in a file. */
struct error_place {
    uint64_t event, offset; /* LT_NONE: not known */
    uint64_t line;          /* from 1; 0: not known */
};

/* Whether a class is one of warnings. */
bool class_is_warning(enum lt_class class_id);

/* Those about a trace's text, which need no selection. */
bool class_is_of_text(enum lt_class class_id);

/* The class of a word that lt_class_word() has; LT_CLASS_NONE: of none. */
enum lt_class class_of_word(const char *word, size_t len);

/* Nothing of it known. */
extern const struct error_place error_nowhere;

/* The same as fail_as() about a place. */
enum lt_status fail_at(struct lt_error *error, enum lt_class class_id, struct error_place place, const char *format,
                       ...) PRINTF_LIKE(4, 5);

/* The same as LT_SELECTION, of a class of warnings that the caller refuses. */
enum lt_status fail_refused(struct lt_error *error, enum lt_class class_id, struct error_place place,
                            const char *format, ...) PRINTF_LIKE(4, 5);

/* The same about a file and an errno value: LT_IO, or LT_NO_MEMORY; "FILE: what: strerror; what to do". */
enum lt_status fail_errno(struct lt_error *error, const char *file, const char *what, int errnum);

/* The same for writing, where a reader that went away (EPIPE) has words of its own. */
enum lt_status fail_write(struct lt_error *error, const char *file, int errnum);

enum lt_status fail_memory(struct lt_error *error);

/* The caller wanted no more of the job on `name`. */
enum lt_status fail_cancelled(struct lt_error *error, const char *name);

/* Hands on what went wrong elsewhere. */
enum lt_status fail_again(struct lt_error *error, const struct lt_error *other);

/* Who hears of warnings; `warning` may be NULL. */
struct listener {
    lt_warning_fn *warning;
    void *ctx;
};

/* Tells of `count` cases, the first one at the place. The format is taken apart as fail()'s. */
void warn_of(const struct listener *listener, enum lt_class class_id, uint64_t count, struct error_place place,
             const char *format, ...) PRINTF_LIKE(5, 6);

#endif
