/*
 * report_rows.h - the rows of a report that agrees with itself, and what it tells of its rank
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "guides/report_check.h"
#include "trace/rank.h"

/* A report whose rows are being read. It must stay where it is. */
struct report_rows {
    const char *path;
    struct report report;
    struct report_check check; /* of the track at hand */
    struct findings findings;
    char why[1024]; /* the first finding */
    size_t tracks;  /* begun so far */
};

/*
 * Opens a report, which is read twice and must be a file. What it says of
 * itself as a whole, and that each track has a phase and a tid, is checked.
 * After a failure too report_rows_close() must be called. LT_TRACE, LT_IO.
 */
enum lt_status report_rows_open(struct report_rows *rows, const char *path, struct lt_error *error);

/*
 * The next row: report_next(), and LT_TRACE where the row does not follow
 * from its track's counts, lacks a key, or has a time that is none. So rows
 * come track by track, in the order of passes and layers, none left out.
 */
enum lt_status report_rows_next(struct report_rows *rows, size_t *track, const struct members **row,
                                struct lt_error *error);

void report_rows_close(struct report_rows *rows);

/*
 * Which rank a report is of: what the trace told, else the report's own name
 * and folder, else the name of its trace.
 */
struct rank report_rank(const struct report *report, const char *path);

enum report_clock {
    REPORT_CLOCK_UNKNOWN,
    REPORT_CLOCK_TOLD, /* the trace says where its times count from: *base_ns */
    REPORT_CLOCK_SINCE /* it does not, and its times are plainly microseconds since 1970: *base_ns is 0 */
};

/*
 * On which clock a report's times are. Plainly is what lies in the years 2001
 * to 2065; a base that puts the trace elsewhere is no base since 1970.
 */
enum report_clock report_clock(const struct report *report, int64_t *base_ns);

#endif
