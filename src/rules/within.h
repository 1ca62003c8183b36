/*
 * within.h - the scopes that tracks ask for: anchors inside slices of certain names
 *
 * A scope is a slice of category user_annotation, cpu_op or python_function
 * (CPU), or gpu_user_annotation (GPU). The observer keeps those whose names
 * a track's within or within_gpu matches; behind the reading the GPU's are
 * asked for the anchors' starts. CPU scopes hold calls: see launches.h.
 *
 * Memory: 56 bytes per matching scope and track (GPU: 112), the names of
 * matching ones, and a mebibyte of those seen lately.
 */
#ifndef WITHIN_H
#define WITHIN_H

#include "base/intern.h"
#include "rules/track.h"

struct within {
    const struct patterns *patterns; /* over names of scopes */
    struct track *tracks;            /* [track_count], whose scopes are filled */
    size_t track_count;

    struct intern streams; /* (pid, tid, device) that carry a gpu_user_annotation */
    struct intern names;   /* of matching scopes; ... */
    struct intern seen;    /* ... and of those seen lately, ... */
    uint64_t *matches;     /* ... with patterns_words() + 1 for each: the last says whether any matched */
    size_t match_capacity, seen_bytes;
};

/* Hears of the scopes, if any track asks for them. */
struct collect_observer within_observer(struct within *within);

/*
 * After select_group(): settles the track's scopes, and takes away the
 * anchors that start in no GPU scope when within_gpu is asked for. LT_SELECTION when
 * nothing matches or nothing is left.
 */
enum lt_status within_settle(const struct within *within, struct track *track, struct lt_error *error);

void within_free(struct within *within);

#endif
