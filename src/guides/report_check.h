/*
 * report_check.h - whether a report agrees with itself
 *
 * How many rows there are, and which pass, layer and anchor each one is of,
 * follows from a track's counts; a row's relative and rounded times from its
 * exact ones; how many events were added, from the rows.
 */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "guides/findings.h"
#include "guides/report_reader.h"

/* One track's counts, and its rows so far. */
struct report_check {
    size_t number;
    struct findings *findings;
    bool known; /* they are all there; else nothing follows */
    uint64_t num_layers, passes, first_layer, anchor_offset, stride, extras, anchors;
    const struct member *origin; /* trace_origin_us; NULL when it is missing */
    bool has_terminal;
    uint64_t rows;
};

/* Reads the counts of track `number`. False when there was a finding, as below; `findings` may have no `say`. */
bool report_check_init(struct report_check *check, const struct report *report, size_t number,
                       struct findings *findings);

/* The next row of the track, in the order of the report. Its findings are those of `check`. */
bool report_check_row(struct report_check *check, const struct members *row);

/* What is said once: that there is a trace_origin_us, and added_event_count: a name, a sort index and a guide for each
 * row. */
bool report_check_whole(const struct report *report, struct findings *findings);

/* Whether a key is one that each row has. */
bool report_check_is_key(const struct member *member);

#endif
