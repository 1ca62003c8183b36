/*
 * cli.h - the command line: options in, exit code out
 *
 * The only place that prints. Messages go to standard error as
 * "layertrack: FILE: what; what to do"; standard output carries data only.
 */
#ifndef CLI_H
#define CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "layertrack.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* One command of layertrack, in a file of its own. */
struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the command; returns the exit code */
    const char *help;
};

extern const struct cli_command cli_annotate, cli_inspect, cli_verify, cli_strip, cli_render, cli_serve;

/* Makes sure that standard output has what was printed; a message when not. Returns the exit code. */
int cli_end_output(void);

/* Prints a help page to standard output. Returns the exit code. */
int cli_print(const char *page);

/*
 * getopt_long() with messages: the next option, -1 behind the last one, or
 * '?' after having said what is wrong. `shorts` begins with a colon.
 * Operands are left to the caller, from optind on.
 */
int cli_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* What every command that reads a trace takes, and where it stands after cli_take_all(). */
struct cli_common {
    const char *trace;
    enum lt_parser parser;
    unsigned threads;
    enum progress_mode mode;
    bool quiet, help;
};

/* What every command that writes a trace takes besides. */
struct cli_output {
    const char *output, *report;
    enum lt_compress compress;
    int level; /* 0: the default */
};

enum cli_common_option {
    CLI_TRACE = 1024,
    CLI_STRICT,
    CLI_PROGRESS,
    CLI_THREADS,
    CLI_REPORT,
    CLI_NO_GZIP,
    CLI_LEVEL,
};

/* In a command's table of long options; o and z are among its short ones. */
#define CLI_OUTPUT_OPTIONS                                                                                             \
    {"output", required_argument, NULL, 'o'}, {"report", required_argument, NULL, CLI_REPORT},                         \
        {"gzip", no_argument, NULL, 'z'}, {"no-gzip", no_argument, NULL, CLI_NO_GZIP},                                 \
    {                                                                                                                  \
        "level", required_argument, NULL, CLI_LEVEL                                                                    \
    }

/* The end of a command's table of long options. */
#define CLI_COMMON_OPTIONS                                                                                             \
    {"trace", required_argument, NULL, CLI_TRACE}, {"strict", no_argument, NULL, CLI_STRICT},                          \
        {"quiet", no_argument, NULL, 'q'}, {"progress", required_argument, NULL, CLI_PROGRESS},                        \
        {"threads", required_argument, NULL, CLI_THREADS}, {"help", no_argument, NULL, 'h'},                           \
    {                                                                                                                  \
        NULL, 0, NULL, 0                                                                                               \
    }

/* Takes an option of a command's own. False, with a message, when its value is wrong. */
typedef bool cli_take_fn(void *command, int option, char *value);

/*
 * Takes all options, and the trace as an operand; a second operand goes to
 * *second, unless that is NULL: then it is one too many. `shorts` as above,
 * with q and h. False, with a message, when something is wrong.
 */
bool cli_take_all(struct cli_common *common, const char **second, int argc, char **argv, const char *shorts,
                  const struct option *longs, cli_take_fn *take, void *command);

/* Takes one of CLI_OUTPUT_OPTIONS. False, with a message, when its value is wrong; without one, when it is none. */
bool cli_take_output(struct cli_output *output, int option, const char *value);

/* cli_default_output(), and no compressed data for a terminal. */
bool cli_check_output(struct cli_output *output);

/* The trace and the output where none was named: a pipe. False, with a message, when there is none. */
bool cli_default_input(const char **trace);
bool cli_default_output(const char **output);

/* How many bytes two words have in common at their start. */
size_t cli_common_start(const char *a, const char *b);

/* Says on standard error what is wrong with the command line. Returns LT_USAGE. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a failed job's message. Returns the exit code. */
int cli_fail(const struct lt_error *error);

/* A whole number without sign. False, with a message, when `text` is none. */
bool cli_number(const char *option, const char *text, uint64_t *out);
/* The same from 1 to `most`. */
bool cli_small(const char *option, const char *text, unsigned most, unsigned *out);

/* The progress bar, a lt_progress_fn's other half. */
struct progress {
    enum progress_mode mode;
    bool shown;
    enum lt_stage stage;
    double started, stage_started, drawn; /* seconds */
};

/* The value of --progress. False, with a message, when it is none. */
bool progress_parse(enum progress_mode *mode, const char *text);
void progress_start(struct progress *progress, enum progress_mode mode);
void progress_tell(struct progress *progress, enum lt_stage stage, uint64_t done, uint64_t total);
/* Takes the bar off the screen, before a message or the end. */
void progress_clear(struct progress *progress);

/* A lt_progress_fn and a lt_warning_fn with a struct progress as context; signals are caught once files are made. */
bool cli_on_progress(void *progress, enum lt_stage stage, uint64_t done, uint64_t total);
void cli_on_warning(void *progress, const char *message);

/* Catches the signals that end a process from now on: there are files to clean up. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* Ends as the caught signal would have, if there was one. */
void interrupt_finish(void);

#endif
