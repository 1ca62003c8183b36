/*
 * guides.h - find the insertion in an annotated trace
 *
 * Watches a scan for tracks of guides as labels_insertion() writes them:
 * thread_name, thread_sort_index and slices, one event a line, the last
 * elements of the event array. Its memory does not grow with the trace.
 */
#ifndef GUIDES_H
#define GUIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan.h"

/* How far back bytes of earlier blocks are known: more than the first event of a track is long. */
#define GUIDES_TAIL ((size_t)8 << 10)
/* Longest pid or tid that a track may have, as written. */
#define GUIDES_PLACE ((size_t)512)

struct guides_place {
    enum scan_kind kind;
    size_t len;
    char text[GUIDES_PLACE];
};

struct guides {
    uint64_t seen; /* guides anywhere in the trace */

    /* The run of tracks that the last event belongs to. */
    enum { GUIDES_OUTSIDE, GUIDES_NAMED, GUIDES_SORTED, GUIDES_IN_TRACK } stage;
    uint64_t in_run, tracks;
    uint64_t start;          /* of the run's first event */
    unsigned char before[2]; /* the two bytes in front of it; 0 where there is none */
    uint64_t end;            /* behind the last event */
    unsigned char behind[2]; /* the bytes there */
    struct guides_place pid, tid;

    const unsigned char *block; /* being scanned */
    size_t block_len;
    uint64_t block_offset;
    unsigned char tail[GUIDES_TAIL]; /* what came before it */
    size_t tail_len;
};

/* A reading_block_fn and a scan_event_fn with a struct guides, set to zero, as context. */
void guides_block(void *guides, const unsigned char *data, size_t len, uint64_t offset);
bool guides_event(void *guides, const struct scan_event *event);

/*
 * After the scan: where the insertion lies. False when the trace has no
 * guides, or not all of them exactly as they were written. A comma in front
 * is taken to be the insertion's own.
 */
bool guides_insertion(const struct guides *guides, const struct scan_layout *layout, uint64_t *offset, uint64_t *bytes);

#endif
