/*
 * tracks.h - the tracks of a job, from its options or its spec
 */
#ifndef TRACKS_H
#define TRACKS_H

#include "base/arena.h"
#include "rules/spec.h"
#include "rules/track.h"
#include "rules/within.h"
#include "trace/patterns.h"

struct tracks {
    struct track *items; /* [count] */
    size_t count;
    struct patterns patterns, scope_patterns; /* over names of kernels, and of scopes */
    struct within within;                     /* their scopes */
    struct spec spec;
    /* Or the caller's tracks, with the defaults where those have 0. */
    struct lt_track *given;        /* [count] */
    struct lt_landmark *landmarks; /* [count][LT_MAX_LANDMARKS] */
    struct arena texts;            /* what messages call the patterns of a spec */
    struct track_words words;      /* what they call a track's members: by the caller's naming, or by a spec's keys */
};

/* Whether a count is one from `least` to 2^53, or LT_USAGE; `member` is the public header's name for it. */
enum lt_status tracks_check_count(const char *member, uint64_t count, uint64_t least, struct lt_error *error);

/*
 * Reads the spec if there is one, or takes the options' tracks; checks them
 * and compiles their patterns. LT_USAGE, or LT_IO for the spec.
 */
enum lt_status tracks_init(struct tracks *tracks, const struct lt_annotate_options *options, struct lt_error *error);

/* Gives each track its place in messages: the trace, and its phase when there are several. */
enum lt_status tracks_name(struct tracks *tracks, const char *trace, struct lt_error *error);

/* Who is to hear of the trace's events for them. Returns how many of TRACKS_OBSERVERS. */
#define TRACKS_OBSERVERS (LT_MAX_TRACKS * TRACK_OBSERVERS + 1)
size_t tracks_observers(struct tracks *tracks, struct collect_observer observers[TRACKS_OBSERVERS]);

void tracks_free(struct tracks *tracks);

#endif
