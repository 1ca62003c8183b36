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

/*
 * An option: a row of the table from which a command takes its arguments and
 * makes its help page, and against which a test holds the manual.
 */
struct cli_option {
    const char *name;
    int id;            /* a letter: also a short option */
    const char *value; /* what its value is called; NULL: it takes none; in brackets: it may be left out */
    const char *text;  /* for the help page; NULL: another row tells */
    const char *label; /* what the page shows in place of the option and its value, or NULL */
};

/* One command of layertrack, in a file of its own. */
struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the command; returns the exit code */
    const char *intro, *outro;         /* of its help page, around the options; outro may be NULL */
    const struct cli_option *options;  /* up to a row without name */
};

/* Not a command: what those that work on many traces have in common, for `layertrack help many`. */
extern const struct cli_command cli_many_topic;

extern const struct cli_command cli_annotate, cli_inspect, cli_verify, cli_strip, cli_render, cli_report, cli_serve;

/* Of `layertrack serve`: for the command, and for the program that it runs. */
extern const char cli_serve_intro[], cli_serve_outro[];
extern const struct cli_option cli_serve_options[];

/* Makes sure that standard output has what was printed; a message when not. Returns the exit code. */
int cli_end_output(void);

/* Prints a command's help page to standard output, or text as it is. Returns the exit code. */
int cli_print_help(const struct cli_command *command);
int cli_print(const char *text);

/* Prints the rows of a command's table: command, option, short option, value, parted by tabs. */
void cli_list_options(const struct cli_command *command);

/* The most options of a command. */
#define CLI_MAX_OPTIONS 64

/* A table as getopt_long() wants it. */
struct cli_getopt {
    char shorts[2 * CLI_MAX_OPTIONS + 2];
    struct option longs[CLI_MAX_OPTIONS + 1];
};
void cli_getopt(struct cli_getopt *getopt, const struct cli_option *options);

/*
 * getopt_long() with messages: the next option, -1 behind the last one, or
 * '?' after having said what is wrong. Operands are left to the caller, from
 * optind on.
 */
int cli_next_option(int argc, char **argv, const struct cli_getopt *getopt);

/* What commands take that can work on many traces; see many.h. */
struct cli_many {
    const char *output_dir, *files_from, *summary;
    bool by_nul;      /* names in files_from end in a NUL, not in a line's end */
    unsigned jobs;    /* 0: the default */
    bool same_counts; /* ranks that differ in counts are refused */
    bool resume;      /* what is done already is left */
    char **operands;  /* [operand_count] files and folders, after cli_take_all() */
    int operand_count;
    bool is_asked; /* there are many, or could be: the command line asks for it */
};

/* What every command that reads a trace takes, and where it stands after cli_take_all(). */
struct cli_common {
    struct cli_many *many; /* NULL: the command takes one trace only */
    const char *trace;
    enum lt_parser parser;
    unsigned threads;
    const char *fail_on_warning; /* classes, "": any; or NULL */
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
    CLI_OUTPUT_DIR,
    CLI_FILES_FROM,
    CLI_SUMMARY,
    CLI_SAME_COUNTS,
    CLI_RESUME,
    CLI_LOG_FORMAT,
    CLI_FAIL_ON_WARNING,
    /* Of serve. */
    CLI_PORT,
    CLI_UI,
    CLI_OPEN,
    CLI_ONCE,
};

/* Rows of a command's table; the text of an option that each command words for itself is given. */
#define CLI_TRACE_OPTION(text)                                                                                         \
    {                                                                                                                  \
        "trace", CLI_TRACE, "PATH", text, NULL                                                                         \
    }
#define CLI_OUTPUT_OPTION(text)                                                                                        \
    {                                                                                                                  \
        "output", 'o', "PATH", text, NULL                                                                              \
    }

#define CLI_OUTPUT_OPTIONS(report_text)                                                                                \
    CLI_OUTPUT_OPTION("- is standard output; a name in .gz is compressed"),                                            \
    {                                                                                                                  \
        "report", CLI_REPORT, "PATH", report_text, NULL                                                                \
    }

#define CLI_GZIP_OPTIONS                                                                                               \
    {"gzip", 'z', NULL, "compress or not, whatever the name says", "  -z, --gzip / --no-gzip"},                        \
        {"no-gzip", CLI_NO_GZIP, NULL, NULL, NULL},                                                                    \
    {                                                                                                                  \
        "level", CLI_LEVEL, "1..9", "gzip level (default: 6)", NULL                                                    \
    }

/* Of commands that work on many traces; without and with outputs. */
#define CLI_MANY_OPTIONS                                                                                               \
    {"jobs", 'j', "N", "traces at a time (default: usable processors)", NULL},                                         \
        {"files-from", CLI_FILES_FROM, "FILE", "more traces, a name a line", NULL},                                    \
        {"null", '0', NULL, "names in FILE end in a NUL", NULL},                                                       \
        {"summary", CLI_SUMMARY, "FILE", "what came of all traces, as JSON", NULL},                                    \
    {                                                                                                                  \
        "same-counts", CLI_SAME_COUNTS, NULL, "refuse ranks that differ in counts", NULL                               \
    }
#define CLI_RESUME_OPTION                                                                                              \
    {                                                                                                                  \
        "resume", CLI_RESUME, NULL, "annotate what is missing, leave what is done", NULL                               \
    }
#define CLI_OUTPUT_DIR_OPTION                                                                                          \
    {                                                                                                                  \
        "output-dir", CLI_OUTPUT_DIR, "DIR", "outputs of many traces, or of folders", NULL                             \
    }
#define CLI_LOG_OPTION(text)                                                                                           \
    {                                                                                                                  \
        "log-format", CLI_LOG_FORMAT, "FORM", text, NULL                                                               \
    }
#define CLI_FAIL_OPTION                                                                                                \
    {                                                                                                                  \
        "fail-on-warning", CLI_FAIL_ON_WARNING, "[=CLASS,...]", "refuse what is warned about",                         \
            "      --fail-on-warning[=CLASS,...]"                                                                      \
    }
#define CLI_LOG_TEXT "messages as text (default), json or github"

/* The end of a table. */
#define CLI_SHARED_OPTIONS(progress_text, log_text, quiet_text, help_text)                                             \
    {"strict", CLI_STRICT, NULL, "refuse what is not strict JSON", NULL},                                              \
        {"threads", CLI_THREADS, "N", "default: number of usable processors", NULL},                                   \
        {"progress", CLI_PROGRESS, "WHEN", progress_text, NULL}, CLI_LOG_OPTION(log_text),                             \
        {"quiet", 'q', NULL, quiet_text, NULL}, {"help", 'h', NULL, help_text, NULL},                                  \
    {                                                                                                                  \
        0                                                                                                              \
    }

#define CLI_PROGRESS_TEXT "auto, always or never; -q is never"
#define CLI_HELP_TEXT     "this page"

/* Takes an option of a command's own. False, with a message, when its value is wrong. */
typedef bool cli_take_fn(void *command, int option, char *value);

/*
 * Takes all options, and the trace as an operand; a second operand goes to
 * *second, unless that is NULL: then it is one too many. Where the command
 * takes many traces and more operands, a folder, or an option of many
 * is given, common->many->is_asked is set and the operands are left there. False,
 * with a message, when something is wrong.
 */
bool cli_take_all(struct cli_common *common, const char **second, int argc, char **argv,
                  const struct cli_option *options, cli_take_fn *take, void *command);

/* Takes one of CLI_OUTPUT_OPTIONS or CLI_GZIP_OPTIONS. False, with a message, when its value is wrong; without one,
 * when it is none. */
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

/* The value of --log-format. False, with a message, when it is none. */
bool cli_log_format(const char *value);

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
    const char *doing; /* what the bar says in place of the stage; NULL: that */
    enum lt_stage stage;
    double started, stage_started, drawn; /* seconds */
};

/* The value of --progress. False, with a message, when it is none. */
bool progress_parse(enum progress_mode *mode, const char *text);
/* Whether somebody wants to see how far a job is, and at its end what it did. */
bool progress_talks(enum progress_mode mode);
void progress_start(struct progress *progress, enum progress_mode mode);
void progress_tell(struct progress *progress, enum lt_stage stage, uint64_t done, uint64_t total);
/* Takes the bar off the screen, before a message or the end. */
void progress_clear(struct progress *progress);

/* A lt_progress_fn and a lt_warning_fn with a struct progress as context; signals are caught once files are made. */
bool cli_on_progress(void *progress, enum lt_stage stage, uint64_t done, uint64_t total);
void cli_on_warning(void *progress, const struct lt_warning *warning);

/* A lt_name_fn: how the command line calls things. */
const char *cli_name(void *ctx, const char *name);

/* Catches the signals that end a process from now on: there are files to clean up. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* Ends as the caught signal would have, if there was one. */
void interrupt_finish(void);

#endif
