/*
 * reading.h - one whole reading of a trace: source, scan, and what goes wrong
 *
 * Brings source and scan together for every job that looks at all events.
 * Messages are words_for_scan()'s, progress is LT_STAGE_SCAN.
 */
#ifndef READING_H
#define READING_H

#include "error.h"
#include "scan.h"
#include "source.h"

struct reading_options {
    const char *path; /* "-": standard input */
    unsigned threads; /* 0: one per core */
    enum lt_parser parser;
    scan_event_fn *event; /* returns false after having set the error that reading_run() gives back */
    void *event_ctx;
    lt_progress_fn *progress; /* may be NULL */
    void *progress_ctx;
};

struct reading {
    struct reading_options options;
    unsigned threads;
    struct source *source;
    struct scan *scan;
    struct scan_layout layout; /* after reading_run() */
};

/* Opens the trace. After a failure too reading_close() must be called. */
enum lt_status reading_open(struct reading *reading, const struct reading_options *options, struct lt_error *error);

/* Reads it from start to end, and makes sure that it stayed the same. LT_TRACE, LT_IO, or what `event` set. */
enum lt_status reading_run(struct reading *reading, struct lt_error *error);

/*
 * Reads it once more with another `event`, which sets the error itself when
 * it returns false. LT_IO when the bytes are no longer the same.
 */
enum lt_status reading_again(struct reading *reading, scan_event_fn *event, void *event_ctx, struct lt_error *error);

void reading_close(struct reading *reading);

#endif
