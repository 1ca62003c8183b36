/*
 * places.h - where the first pass begins, by a rule that means the same in every rank
 *
 * Captures begin at different moments, so an offset that is right in one
 * rank is wrong in the next. A run is right in all: the K-th one, or the
 * first that holds whole passes. Runs are those that inspect shows for the
 * same anchors (trace/cluster), or with scopes their instances. Pure: arrays
 * in, numbers out; nothing is guessed, and what is not clear is refused.
 */
#ifndef PLACES_H
#define PLACES_H

#include "rules/plan.h"
#include "trace/cluster.h"

struct places_request {
    const struct anchor *anchors;        /* [count], in any order; at least one */
    const uint64_t *instances;           /* [count]: the scope that holds each; NULL: gaps in time part the runs */
    size_t count;                        /* of anchors */
    uint64_t num_layers, stride, extras; /* as in plan.h; stride 0 is 1 */
    int64_t run; /* counted from 1; below 0: from the end, -1 is the last; 0: the first whole one */
};

enum places_status {
    PLACES_FINE,
    PLACES_ONE_RUN,   /* no gap tells where a pass begins */
    PLACES_MINGLED,   /* an instance goes on behind another one */
    PLACES_NO_RUN,    /* there are fewer runs */
    PLACES_NOT_WHOLE, /* the run that was asked for holds no whole passes: `run`, `size` */
    PLACES_NONE_WHOLE,
    PLACES_NO_MEMORY
};

struct places {
    enum places_status status;
    uint64_t run, offset, size; /* the run that was found: its number from 1, its first anchor by time, its anchors */
    uint64_t *sizes;            /* [runs], in order of time */
    uint64_t runs;
    struct cluster_split split; /* of gaps, in ticks of 10^-10 us; without instances */
};

/*
 * Finds the runs and the one that was asked for. The extras behind a run's
 * last pass may be a run of their own, or missing where the trace ends. Memory while it runs: 16 bytes per anchor.
 */
enum places_status places_find(struct places *places, const struct places_request *request);

/* Only the runs, for a comparison of ranks; PLACES_ONE_RUN is PLACES_FINE here. */
enum places_status places_runs(struct places *places, const struct places_request *request);

/*
 * How many whole passes there are from an offset on, and how many anchors
 * are left over behind them; the extras behind the last pass may be missing.
 */
uint64_t places_passes(const struct places_request *request, uint64_t offset, uint64_t *left_over);

/* Whether so many anchors are whole passes, at least one. */
bool places_is_whole(const struct places_request *request, uint64_t size);

void places_free(struct places *places);

#endif
