/*
 * cli.h - the command line: options in, exit code out
 *
 * The only place that prints. Messages go to standard error as
 * "layertrack: FILE: what; what to do"; standard output carries data only.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "layertrack.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* `layertrack annotate ...`: argv[0] is the command. Returns the exit code. */
int cli_annotate(int argc, char **argv);

/* Prints a command's help (NULL: the general one) to standard output. */
int cli_help(const char *command);

/* Says on standard error what is wrong with the command line. Returns LT_USAGE. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a failed job's message. Returns the exit code. */
int cli_fail(const struct lt_error *error);

/* A whole number without sign. False, with a message, when `text` is none. */
bool cli_number(const char *option, const char *text, uint64_t *out);

/* The progress bar, a lt_progress_fn's other half. */
struct progress {
    enum progress_mode mode;
    bool shown;
    enum lt_stage stage;
    double started, stage_started, drawn; /* seconds */
};

void progress_start(struct progress *progress, enum progress_mode mode);
void progress_tell(struct progress *progress, enum lt_stage stage, uint64_t done, uint64_t total);
/* Takes the bar off the screen, before a message or the end. */
void progress_clear(struct progress *progress);

/* Catches SIGINT, SIGTERM and SIGHUP from now on: there are files to clean up. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* Ends as the caught signal would have, if there was one. */
void interrupt_finish(void);

#endif
