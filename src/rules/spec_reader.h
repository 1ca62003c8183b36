/*
 * spec_reader.h - what yajl finds in a spec, into tracks
 */
#ifndef SPEC_READER_H
#define SPEC_READER_H

#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_parse.h>

#include "rules/spec.h"

struct field;

enum spec_place { AT_START, IN_TOP, IN_TRACKS, IN_TRACK, IN_LANDMARKS, IN_LANDMARK };

/* Set to zero, then spec, error and file. */
struct spec_reader {
    struct spec *spec;
    struct lt_error *error;
    const char *file; /* printable */
    uint64_t found;   /* calls from yajl */
    enum spec_place place;
    bool has_tracks;           /* `tracks` was seen */
    bool track_at_top;         /* a track's own key was seen at the top */
    const struct field *field; /* whose value comes next, in IN_TOP, IN_TRACK and IN_LANDMARK */
    unsigned depth, passing;   /* open containers; passing: those inside a value that is passed over */
    uint64_t top_seen, track_seen, landmark_seen;
    size_t track_capacity, landmark_capacity;
};

/* With a struct spec_reader as context. Each sets reader->error before it stops yajl. */
extern const yajl_callbacks spec_callbacks;

#endif
