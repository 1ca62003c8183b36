/*
 * insertion_line.h - one line of an insertion, read as strictly as it was written
 *
 * The counterpart of guide_writer.c: a line is recognised only in the very bytes
 * that guide_insertion() makes of some track, so that the slightest touch
 * of another program shows.
 */
#ifndef INSERTION_LINE_H
#define INSERTION_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the line itself. */
struct line_part {
    const char *text;
    size_t len;
};

enum line_kind { LINE_OTHER, LINE_NAME, LINE_SORT_INDEX, LINE_GUIDE };

struct insertion_line {
    enum line_kind kind;
    struct line_part place; /* `"pid": ..., "tid": ...` */
    uint64_t tid;
    struct line_part phase; /* name and guide: as written between quotes */
    uint64_t sort_below;    /* sort index: how far below 0 */
    /* A guide's own. */
    uint64_t pass, layer;
    int64_t start, end;
    struct line_part last; /* from its phase on: the same in all guides of a track */
};

/* Reads one event of `len` bytes. What it points to is `text`. */
void insertion_line_read(struct insertion_line *line, const char *text, size_t len);

/* Whether two parts have the same bytes. */
bool line_part_equal(const struct line_part *a, const struct line_part *b);

#endif
