/*
 * say.h - what a command says beside its data, in the format that was asked for
 *
 * All of standard error goes through here, but for the progress bar. As text
 * it is what a person reads; as JSON, and as commands of GitHub's runner, it
 * is for programs: no progress, no closing line, and a result at the end.
 * In every format a line is one line, and no name in it is a command
 * (base/line.h). For one thread at a time.
 */
#ifndef SAY_H
#define SAY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/log_format.h"

/*
 * Takes the format from a whole command line, so that what is wrong with the
 * words before --log-format is said in it, too; what is no format is left to
 * say_format().
 */
void say_start(int argc, char **argv);

/* The value of --log-format. False, and nothing changes, when it is none. */
bool say_format(const char *name);

/* Whether a person reads along: only then is there progress, and a line of what was done. */
bool say_to_people(void);

/* Whether GitHub shows what is said, ten of a kind: too few for what is as it should be. */
bool say_is_annotated(void);

/* The trace, as it was given, that errors, warnings and findings are about from now on; the result counts it. */
void say_trace(const char *path);

/* Says why a job failed, or what is worth a warning, of the trace `path`; NULL: the one of say_trace(). */
void say_error(const struct lt_error *error, const char *path);
void say_warning(const struct lt_warning *warning, const char *path);

/* An error, a warning or a notice in one's own words; in text it is `sentence`. The class stays as it is. */
void say_entry(const struct log_entry *entry, const char *sentence);

/* Prints a line to `out` in which a name does nothing, when a person reads along. */
void say_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What decides the exit code, though no error is said: the class of the greatest weight. It stays as it is. */
void say_class(const char *class, uint64_t weight);

/* How many warnings there were so far. */
uint64_t say_warnings(void);

/* How many traces there were, where say_trace() does not tell; exit code, class and warnings are counted here. */
void say_result(const struct log_result *result);

/* Says what was kept back, and the result, once. Returns the exit code. */
int say_end(int exit_code);

#endif
