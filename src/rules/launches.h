/*
 * launches.h - which scope an anchor was launched in
 *
 * A kernel and the runtime call that launched it carry one correlation; all
 * kernels of a replayed graph carry that of its one launch. The call lies in
 * a scope when that spans all of it on the call's own pid and tid. Which
 * calls are wanted is known only after the first reading, so a second one
 * looks them up. No call is kept.
 */
#ifndef LAUNCHES_H
#define LAUNCHES_H

#include "rules/track.h"
#include "trace/correlation.h"

/* What one track asks for. */
struct launches_asked {
    struct track *track;
    struct correlation calls; /* with an enum launch_answer for each, or that and the number of the scope */
};

struct launches {
    struct collect *collect;
    struct launches_asked *asked; /* [count]: of the tracks with `within` */
    size_t count;
};

/* Gets ready for the second reading. After a failure too launches_end() must be called. */
enum lt_status launches_begin(struct launches *launches, struct collect *collect, struct track *tracks, size_t count,
                              struct lt_error *error);

/* A scan_event_fn with a struct launches as context. Returns false with collect->error set. */
bool launches_event(void *launches, const struct scan_event *event);

/*
 * Leaves each track the anchors that were launched in a matching scope, and
 * their instances in track->launches. LT_SELECTION when a launch is missing
 * or not clear, or nothing is left.
 */
enum lt_status launches_apply(const struct launches *launches, struct lt_error *error);

void launches_end(struct launches *launches);

#endif
