/*
 * insertion.h - find the insertion in an annotated trace
 *
 * Watches a scan for tracks of guides as guide_insertion() writes them:
 * thread_name, thread_sort_index and slices, one event a line, the last
 * elements of the event array. Its memory does not grow with the trace.
 */
#ifndef INSERTION_H
#define INSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "guides/insertion_line.h"
#include "trace/fields.h"
#include "trace/reading.h"
#include "json/scan.h"

/* A pid or tid as written. */
struct insertion_place {
    enum scan_kind kind;
    struct text text;
};

/* Whether the run is, byte for byte, what guide_insertion() makes of some tracks; and what of its track that takes. */
struct insertion_form {
    bool exact;
    struct text place, phase, last; /* as in struct insertion_line */
    uint64_t guides;                /* of the track so far */
    uint64_t first_layer, layers;   /* layers of a pass; 0: its first pass goes on */
    uint64_t pass, layer;           /* of the last guide */
    uint64_t first_tid, last_tid;   /* the least and the greatest of the run */
};

struct insertion {
    struct reading *reading; /* opened with `texts` */
    struct lt_error *error;
    struct fields fields;
    uint64_t seen; /* guides anywhere in the trace */

    /* Tids that a track may have, of the events outside the run: the least and the greatest. */
    uint64_t other_first, other_last;

    /* The run of tracks that the last event belongs to. */
    enum { INSERTION_OUTSIDE, INSERTION_NAMED, INSERTION_SORTED, INSERTION_IN_TRACK } stage;
    uint64_t in_run, tracks;
    uint64_t start;          /* of the run's first event */
    unsigned char before[2]; /* the two bytes in front of it; 0 where there is none */
    uint64_t end;            /* behind the last event */
    unsigned char behind[2]; /* the bytes there */
    struct insertion_place pid, tid;
    struct insertion_form form;

    const unsigned char *block; /* being scanned */
    size_t block_len;
    uint64_t block_offset;
};

void insertion_init(struct insertion *in, struct reading *reading, struct lt_error *error);

/* A reading_block_fn and a scan_event_fn with a struct insertion as context. */
void insertion_block(void *insertion, const unsigned char *data, size_t len, uint64_t offset);
bool insertion_event(void *insertion, const struct scan_event *event);

/*
 * After the scan: where the insertion lies. False when the trace has no
 * guides, or not all of them as they were written. A comma in front
 * is taken to be the insertion's own.
 */
bool insertion_find(const struct insertion *in, const struct scan_layout *layout, uint64_t *offset, uint64_t *bytes);

/*
 * Of an insertion that was found: whether it is exactly what annotate would
 * have written, so that all else is the source's; with `other_tids` that
 * holds only when no other event lies on a pid and tid of its tracks.
 */
bool insertion_is_exact(const struct insertion *in, bool *other_tids);

void insertion_free(struct insertion *in);

#endif
