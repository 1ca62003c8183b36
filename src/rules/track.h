/*
 * track.h - what one selection keeps of the trace
 *
 * A job has one track or several; all are filled from one reading. Per
 * track: 32 bytes per matching anchor, 40 per matching terminal, 16 per
 * kernel that matches a landmark (32 when its time has more than 18 digits);
 * with `within` 8 more per anchor, and what within.h says.
 */
#ifndef TRACK_H
#define TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layertrack.h"
#include "rules/plan.h"
#include "rules/scopes.h"
#include "trace/collect.h"
#include "trace/patterns.h"
#include "trace/suggest.h"

/* What messages call the options: as the caller does, or by the keys of a spec. */
struct track_words {
    const char *anchor_regex, *end_anchor_regex, *landmark_regex, *within, *within_gpu, *pid, *device, *num_layers,
        *passes, *anchor_offset, *skip_partial, *phase;
};
extern const struct track_words track_spec_words;
struct track_words track_words_of(const struct lt_error *error);

/* A matching scope that has no place in time, or an object or array as pid or tid. */
struct bad_scope {
    uint64_t event, offset;
    uint32_t pid; /* number in collect->values; of a CPU scope it does not matter */
    bool on_gpu;
    bool too_long; /* a ts, dur or end of more than DECIMAL_DIGITS */
};

/* What a track knows of one process and device. */
struct track_group {
    bool wanted;      /* passes pid and device */
    uint64_t anchors; /* matching kernels there */
};

/* Which process and device the guides belong to; see select.h. */
struct selection {
    uint32_t pid, device; /* numbers in collect->values; device may be INTERN_NONE */
    bool also_without;    /* some anchors name no device */
    uint64_t guide_tid;   /* free in that process */
};

struct track {
    const struct lt_track *options;
    const struct track_words *words;
    char *place; /* what a message is about: the trace, and the track when there are several */

    /* Numbers in collect's patterns and scope patterns, or PATTERN_NONE. */
    uint32_t anchor_pattern, terminal_pattern, within_pattern, within_gpu_pattern;
    uint32_t *landmark_patterns; /* [landmark_count] */

    struct anchor *anchors;
    size_t anchor_count, anchor_capacity;
    size_t outside_count; /* behind the anchors: those that scopes took away */
    struct terminal *terminals;
    size_t terminal_count, terminal_capacity;
    struct landmark *landmarks; /* [landmark_count] */
    size_t landmark_count;
    uint64_t *launches; /* [anchor_count] with `within`: correlations; after launches_apply() scope instances */
    size_t launch_capacity;

    struct track_group *groups; /* by number in collect->group_keys */
    size_t group_capacity;

    struct scopes scopes;         /* matching CPU scopes; ... */
    struct gpu_scopes gpu_scopes; /* ... and GPU scopes, of the chosen process once that is known */
    struct bad_scope *bad_scopes; /* [bad_scope_count]: those that cannot be used, up to MOST_BAD_SCOPES */
    size_t bad_scope_count, bad_scope_capacity;

    struct suggest_list near_scopes, near_gpu_scopes; /* of the patterns, as long as they match none */

    struct selection selection;
    struct track_place {
        uint64_t anchor_offset, passes; /* as given, or as found by a rule */
        uint64_t run;                   /* that a rule found, from 1; 0: none was asked */
        uint64_t left_over;             /* anchors behind the last of all passes */
    } first;
    struct plan plan;
};

/* A track's lists are filled by one observer each: anchors (and what is known of the groups), terminals, landmarks. */
#define TRACK_OBSERVERS 3
void track_observers(struct track *track, struct collect_observer observers[TRACK_OBSERVERS]);

/* The part of it that is wanted where no list is kept: the observer's `group`, with the track as context; ... */
bool track_meet_group(void *track, struct collect *collect, uint32_t group);

/* ... and whether a kernel is an anchor of a wanted group. Counts those of its group. */
bool track_is_anchor(struct track *track, const struct collect_kernel *kernel);

/*
 * Moves an anchor among those kept, which stay in their order; the others
 * gather behind them, in any order, and stay there after track_leave_outside().
 */
void track_keep_anchor(struct track *track, size_t *kept, size_t index);
void track_leave_outside(struct track *track, size_t kept);

/* What messages call a track's trace, and one of its patterns. */
struct track_shown {
    char place[512], pattern[256];
};
const struct track_shown *track_show(struct track_shown *shown, const struct track *track, const char *pattern);

/* Frees all, the place and the plan too. */
void track_free(struct track *track);

#endif
