/*
 * labels.h - accepted plans as JSON: the events to insert, and the report
 */
#ifndef LABELS_H
#define LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect.h"
#include "emit.h"
#include "plan.h"
#include "select.h"

/* What the texts are made from; all of it outlives the call. */
struct labels {
    const struct collect *collect; /* and its tracks */
    bool needs_comma;              /* an element stands before the insertion */
};

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

/* Facts of the source and the insertion, for the report. */
struct report_facts {
    uint64_t event_count; /* before */
    const char *sha256;
    bool source_is_gzip;
    const char *source_file; /* base name */
    uint64_t source_bytes, insert_offset, insert_bytes;
};

/* Emits the mapping report: flat for one track, with an array `tracks` for several. False when `emit` said so or memory
 * is out. */
bool labels_report(const struct labels *labels, const struct report_facts *facts, emit_fn *emit, void *emit_ctx);

#endif
