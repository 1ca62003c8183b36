/*
 * guide_writer.h - the events of accepted plans, as JSON
 */
#ifndef GUIDE_WRITER_H
#define GUIDE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "rules/plan.h"
#include "rules/tracks.h"
#include "trace/collect.h"

/* What the texts are made from; all of it outlives the call. */
struct guide_writer {
    const struct collect *collect;
    const struct tracks *tracks; /* of that trace, planned */
    bool needs_comma;            /* an element stands before the insertion */
};

/* The sort index of the first track is so far below 0, and of each other one higher: it lies above all others of its
 * process, the next ones below it. */
#define GUIDE_SORT_BELOW 1000

/* What a guide is not. Stands in every guide and in the report. */
extern const char guide_notice[];

/*
 * Emits the events of the tracks, one track behind the other, one event a
 * line: thread_name, thread_sort_index, and a slice per guide. An insertion_fn with a struct guide_writer as context.
 * False when `emit` said so or memory is out.
 */
bool guide_insertion(void *writer, emit_fn *emit, void *emit_ctx);

/* How many events guide_insertion() makes. */
uint64_t guide_event_count(const struct guide_writer *writer);

/*
 * What could not be written exactly: times that less the trace's smallest ts
 * have more than DECIMAL_DIGITS. And what verify and strip could not read
 * again: an event is at most READING_MAX_TEXT long and its pid
 * SCAN_MAX_FIELD, as written here, where a byte of the source may take six.
 */
enum guide_excess { GUIDE_FINE, GUIDE_LONG_PID, GUIDE_LONG_GUIDE, GUIDE_LONG_TIME, GUIDE_NO_MEMORY };

struct guide_too_long {
    enum guide_excess what;
    uint64_t pass, layer; /* of the guide */
    uint64_t bytes, limit;
};

/* Looks at the guides of one track. */
enum guide_excess guide_fit(const struct collect *collect, const struct track *track, struct guide_too_long *found);

/*
 * What report_writer.h shares with guides. The members of a report row,
 * without braces; a pid, device or tid, where bytes that are not UTF-8 are
 * kept or become U+FFFD; the name of a track.
 */
void guide_row(struct text *text, const struct collect *collect, const struct guide *guide);
void guide_value(struct text *text, const struct collect *collect, uint32_t number, bool keep_invalid);
void guide_track_name(struct text *text, const char *phase);

/* The same of single members: a time in ms from the trace's origin, and what ends the guide. */
void guide_relative_ms(struct text *text, const struct collect *collect, const struct decimal *time);
const char *guide_boundary_kind(const struct guide *guide);

#endif
