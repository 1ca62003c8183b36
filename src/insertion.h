/*
 * insertion.h - find the insertion in an annotated trace
 *
 * Watches a scan for tracks of guides as labels_insertion() writes them:
 * thread_name, thread_sort_index and slices, one event a line, the last
 * elements of the event array. Its memory does not grow with the trace.
 */
#ifndef INSERTION_H
#define INSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan.h"

/* How far back bytes of earlier blocks are known: more than the first event of a track is long. */
#define INSERTION_TAIL ((size_t)8 << 10)
/* Longest pid or tid that a track may have, as written. */
#define INSERTION_PLACE ((size_t)512)

struct insertion_place {
    enum scan_kind kind;
    size_t len;
    char text[INSERTION_PLACE];
};

struct insertion {
    uint64_t seen; /* guides anywhere in the trace */

    /* The run of tracks that the last event belongs to. */
    enum { INSERTION_OUTSIDE, INSERTION_NAMED, INSERTION_SORTED, INSERTION_IN_TRACK } stage;
    uint64_t in_run, tracks;
    uint64_t start;          /* of the run's first event */
    unsigned char before[2]; /* the two bytes in front of it; 0 where there is none */
    uint64_t end;            /* behind the last event */
    unsigned char behind[2]; /* the bytes there */
    struct insertion_place pid, tid;

    const unsigned char *block; /* being scanned */
    size_t block_len;
    uint64_t block_offset;
    unsigned char tail[INSERTION_TAIL]; /* what came before it */
    size_t tail_len;
};

/* A reading_block_fn and a scan_event_fn with a struct insertion, set to zero, as context. */
void insertion_block(void *insertion, const unsigned char *data, size_t len, uint64_t offset);
bool insertion_event(void *insertion, const struct scan_event *event);

/*
 * After the scan: where the insertion lies. False when the trace has no
 * guides, or not all of them exactly as they were written. A comma in front
 * is taken to be the insertion's own.
 */
bool insertion_find(const struct insertion *in, const struct scan_layout *layout, uint64_t *offset, uint64_t *bytes);

#endif
