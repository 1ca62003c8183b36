/*
 * report_align.h - the reports of many ranks, side by side
 *
 * One row for each layer of each pass of each track, and of each rank the
 * layer's start and its skew: how much later it starts than on the first rank.
 */
#ifndef REPORT_ALIGN_H
#define REPORT_ALIGN_H

#include "base/table.h"
#include "jobs/report_list.h"

/* Set to zero; it must stay where it is. */
struct align {
    const struct report_list *list;
    const struct listener *listener;
    const char *const *columns; /* [column_count] */
    size_t column_count;
    struct report_rows *readers; /* [list->count] */
    const struct members **at;   /* [list->count] the row that each reader is at; NULL: behind its last one */
    size_t *tracks;              /* [list->count] of that row */
    size_t opened;
    uint64_t rows;
    struct arena arena;
};

/*
 * Opens all reports of the list at once: an open file each. LT_SELECTION:
 *   - two reports that go by one name, since their columns would;
 *   - other tracks than the first report's, by phase and order;
 *   - of several, a clock that is not known (report_rows.h): none is guessed.
 * What ranks differ in (rules/ranks) is warned about, track by track.
 */
enum lt_status align_begin(struct align *align, const struct report_list *list, const struct listener *listener,
                           struct lt_error *error);

/* Appends what the skews are, and what the clocks are known by. */
void align_comment(const struct align *align, struct text *out);

/*
 * The rows: track by track, in the order of passes and layers. Where a rank
 * has no such guide its cells are empty, and so are the skews of all where
 * the first rank has none; how many is warned about. Reports are read in
 * step: memory does not grow with their rows. LT_SELECTION: a skew of more
 * than 38 digits.
 */
enum lt_status align_write(struct align *align, struct table *table, struct lt_error *error);

void align_end(struct align *align);

#endif
