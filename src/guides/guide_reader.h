/*
 * guide_reader.h - the guides of an annotated trace, read back
 *
 * A guide (fields.h) is an `X` event, and its args hold the row of the
 * report; else it is refused. Kept are the rows of one pass of one track (48
 * bytes a row) with at most GUIDES_MAX_NAMES names of anchors, and of each
 * track its names: nothing grows with the trace.
 */
#ifndef GUIDE_READER_H
#define GUIDE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/intern.h"
#include "trace/fields.h"
#include "trace/reading.h"

/* More tracks than this are refused. */
#define GUIDES_MAX_TRACKS 64

/* Of anchors' names so many, and of each so many bytes. */
#define GUIDES_MAX_NAMES   64
#define GUIDES_NAME_LENGTH ((size_t)256)

struct guide_row {
    uint64_t layer;
    uint32_t name; /* of the anchor, in guides.names; INTERN_NONE: not known */
    uint8_t start_scale, end_scale;
    struct decimal_packed start, end; /* exact; equal for a guide of which only the anchor is known */
};

/* A value as it is spelled in the trace; strings decoded. */
struct guide_value {
    enum scan_kind kind;
    const char *text;
    size_t len;
};

struct guide_track {
    struct guide_value pid, tid;
    const char *phase, *evidence, *notice; /* NUL-terminated, "" when the guides do not say */
    uint64_t passes;                       /* highest pass_index + 1 */
};

struct guide_reader {
    struct reading *reading; /* opened with `texts` */
    struct lt_error *error;
    struct fields fields;
    const char *track; /* phase or tid of the track to take; NULL: the only one */
    uint64_t pass;     /* pass_index to take */

    struct guide_track tracks[GUIDES_MAX_TRACKS];
    unsigned track_count;
    struct guide_track *taken; /* the track of `rows`; NULL: there is none */
    struct guide_row *rows;    /* in order of time */
    size_t row_count, row_capacity;
    struct intern names; /* of their anchors, cut */
    struct arena arena;
};

/* A scan_event_fn with a struct guide_reader as context. False with *error set. */
bool guide_reader_event(void *guides, const struct scan_event *event);

/* After the reading: whether what was asked for is there. LT_SELECTION with what there is instead. */
enum lt_status guide_reader_check(struct guide_reader *guides);

/* Whether a field of an event is the value: 7 and 7.0 are the same, 7 and "7" are not. Sets *failed when memory is out.
 */
bool guide_value_is(const struct guide_value *value, const struct scan_value *field, bool *failed);

/* Cuts a name at GUIDES_NAME_LENGTH, at a character's edge. Returns the length that is left. */
size_t guide_reader_cut_name(const char *name, size_t len);

void guide_reader_free(struct guide_reader *guides);

#endif
