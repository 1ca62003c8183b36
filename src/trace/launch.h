/*
 * launch.h - which scope an anchor was launched in
 *
 * A kernel and the runtime call that launched it carry one correlation; all
 * kernels of a replayed graph carry that of its one launch. The call lies in
 * a scope when a slice of category user_annotation, cpu_op or
 * python_function on its own pid and tid spans all of it. The first reading
 * collects the anchors' correlations and the matching scopes; a second one
 * looks up the calls.
 *
 * Memory: what track.h says, and 12 bytes per distinct correlation of the
 * anchors. No call is kept.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "trace/collect.h"

enum launch_scope { LAUNCH_NO_SCOPE, LAUNCH_CPU_SCOPE, LAUNCH_GPU_SCOPE };

/* What kind of scope an event of that category may be. */
enum launch_scope launch_scope_of(const char *cat, size_t len);

/* Keeps a slice that a track's within or within_gpu matches. False with collect->error set, or out of memory. */
bool launch_add_scope(struct collect *collect, const struct scan_event *event, enum launch_scope kind);

/*
 * After select_group(): settles the track's scopes, and takes away the
 * anchors that start in no GPU scope when within_gpu is asked for. LT_SELECTION when
 * nothing matches or nothing is left.
 */
enum lt_status launch_settle(const struct collect *collect, struct track *track, struct lt_error *error);

/* The anchors' correlations and what is known of their calls. */
struct launches {
    struct track *track;
    uint64_t *keys;    /* [count], rising */
    uint32_t *answers; /* [count]: an enum launch_answer, or that and the number of the instance */
    size_t count;
};

struct launch_round {
    struct collect *collect;
    struct launches *launches; /* [count]: of the tracks with `within` */
    size_t count;
};

/* Gets ready for the second reading. After a failure too launch_end() must be called. */
enum lt_status launch_begin(struct launch_round *round, struct collect *collect, struct lt_error *error);

/* A scan_event_fn with a struct launch_round as context, for the second reading. Returns false with collect->error set.
 */
bool launch_event(void *round, const struct scan_event *event);

/*
 * Leaves each track the anchors that were launched in a matching scope, and
 * their instances in track->launches. LT_SELECTION when a launch is missing
 * or not clear, or nothing is left.
 */
enum lt_status launch_apply(struct launch_round *round, struct lt_error *error);

void launch_end(struct launch_round *round);

#endif
