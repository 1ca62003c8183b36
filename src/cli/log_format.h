/*
 * log_format.h - messages as text, as JSON, or as commands of GitHub's runner
 *
 * Pure: a message in, bytes out; the caller writes them to standard error. In
 * every format a line is one line, and no name in it is a command (base/line.h).
 */
#ifndef LOG_FORMAT_H
#define LOG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "layertrack.h"

enum log_format { LOG_TEXT, LOG_JSON, LOG_GITHUB };

enum log_level { LOG_ERROR, LOG_WARNING, LOG_NOTICE, LOG_LEVELS };

struct log_entry {
    enum log_level level;
    const char *class;   /* a finer word than the exit code: "anchors-too-few"; or NULL */
    const char *path;    /* of the file, as it was given; NULL for none, and for standard input */
    const char *file;    /* what a message calls it, perhaps with its track; NULL: as the path */
    uint64_t event;      /* index in the event array, or LT_NONE */
    uint64_t offset;     /* in bytes of the uncompressed file, or LT_NONE */
    uint64_t line;       /* counted from 1, or LT_NONE */
    const char *message; /* what is wrong, without the file */
    const char *hint;    /* what to do, or NULL */
    uint64_t weight;     /* of one level the heavier ones are worse; matters to GitHub alone */
};

/*
 * What the library tells, as an entry: its texts stay where they are. `path`
 * is the trace that was worked on, "-" being standard input. The higher exit
 * code is the worse error, and a warning of more cases the worse warning.
 */
struct log_entry log_entry_of_error(const struct lt_error *error, const char *path);
struct log_entry log_entry_of_warning(const struct lt_warning *warning, const char *path);

/* How a command ended. */
struct log_result {
    int exit_code;
    const char *class; /* of what decided the exit code, or NULL */
    uint64_t traces;   /* = done + refused + resumed */
    uint64_t done, refused, resumed;
    uint64_t passed_over; /* files that are no traces of ranks */
    uint64_t warnings;
};

/* GitHub shows so many of a level for each step of a job. */
#define LOG_MOST_SHOWN 10

struct log_kept {
    char *line;
    uint64_t weight;
};

struct log {
    enum log_format format;
    const char *cwd, *workspace;
    struct log_kept kept[LOG_LEVELS][LOG_MOST_SHOWN]; /* worst first */
    uint64_t counts[LOG_LEVELS];
};

/* The value of --log-format. False when it is none. */
bool log_format_parse(enum log_format *format, const char *name);

/*
 * `cwd` is where paths begin that are not absolute; `workspace` what
 * GITHUB_WORKSPACE says, or NULL: only of files below it is GitHub told a
 * path. Both stay the caller's.
 */
void log_start(struct log *log, enum log_format format, const char *cwd, const char *workspace);

/*
 * Appends a message to `out`, with its line's end.
 *
 *   text    layertrack: [warning: |notice: ][FILE: ]message[; hint]
 *   json    {"level": "error", "class": ..., "file": PATH, "event_index": ..., "byte_offset": ..., "line": ...,
 *           "message": ..., "hint": ...}, what is not told being null; a track is named in the message
 *   github  ::error file=PATH,title=layertrack: CLASS::FILE: message; hint
 *
 * GitHub shows ten of a level: there nothing is appended before log_end().
 * False when memory is out (out->failed).
 */
bool log_add(struct log *log, const struct log_entry *entry, struct text *out);

/*
 * Appends what is left, once: for GitHub of each level the ten worst (of one
 * weight the first), or the nine worst and how many more there are; for JSON
 * {"level": "result", "class": ..., "exit_code": ..., "traces": ..., "done": ..., "refused": ..., "resumed": ...,
 * "passed_over": ..., "warnings": ...}. Frees what the log holds.
 */
bool log_end(struct log *log, const struct log_result *result, struct text *out);

#endif
