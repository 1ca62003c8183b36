/*
 * labels.h - accepted plans as JSON: the events to insert, and the report
 */
#ifndef LABELS_H
#define LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/emit.h"
#include "rules/plan.h"
#include "rules/select.h"
#include "trace/collect.h"

/* What the texts are made from; all of it outlives the call. */
struct labels {
    const struct collect *collect; /* and its tracks */
    bool needs_comma;              /* an element stands before the insertion */
};

/* The sort index of the first track is so far below 0, and of each other one higher: it lies above all others of its
 * process, the next ones below it. */
#define LABELS_SORT_BELOW 1000

/* What a guide is not. Stands in every guide and in the report. */
extern const char labels_notice[];

/*
 * Emits the events of the tracks, one track behind the other, one event a
 * line: thread_name, thread_sort_index, and a slice per guide. An insertion_fn with a struct labels as context.
 * False when `emit` said so or memory is out.
 */
bool labels_insertion(void *labels, emit_fn *emit, void *emit_ctx);

/* How many events labels_insertion() makes. */
uint64_t labels_event_count(const struct labels *labels);

/*
 * What verify and strip could not read again: an event is at most
 * READING_MAX_TEXT long and its pid SCAN_MAX_FIELD, as written here, where
 * a byte of the source may take six.
 */
enum labels_excess { LABELS_FINE, LABELS_LONG_PID, LABELS_LONG_GUIDE, LABELS_NO_MEMORY };

struct labels_too_long {
    enum labels_excess what;
    uint64_t pass, layer; /* of the guide */
    uint64_t bytes, limit;
};

/* Looks at the guides of one track. */
enum labels_excess labels_fit(const struct collect *collect, const struct track *track, struct labels_too_long *found);

/* Facts of the source and the insertion, for the report. */
struct report_facts {
    uint64_t event_count; /* before */
    const char *sha256;
    bool source_is_gzip;
    const char *crc32;       /* of its uncompressed bytes, when it is gzip */
    const char *source_file; /* base name */
    uint64_t source_bytes, insert_offset, insert_bytes;
};

/* Emits the mapping report: flat for one track, with an array `tracks` for several. False when `emit` said so or memory
 * is out. */
bool labels_report(const struct labels *labels, const struct report_facts *facts, emit_fn *emit, void *emit_ctx);

#endif
