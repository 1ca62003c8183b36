/*
 * series.h - the kernels that match, by name, process and device: what inspect counts and clusters
 *
 * Memory: 16 bytes per kernel (see trace/kernels.h), some hundred per series
 * and stream.
 */
#ifndef SERIES_H
#define SERIES_H

#include "rules/track.h"
#include "trace/kernels.h"

/* The kernels of one name in one group. */
struct series {
    uint32_t group, name;
    uint64_t count, untimed, streams;
    size_t first; /* its first record, once they are sorted */
};

struct series_set {
    struct track *track;         /* whose anchors they are */
    struct kernels timed;        /* by number of series */
    struct kernels untimed;      /* those without a usable ts, as if all began together */
    struct intern keys, streams; /* {group, name}; {group, tid} */
    struct series *items;        /* [keys.count] */
    size_t capacity;
};

/* Fills the set with the track's anchors. */
struct collect_observer series_observer(struct series_set *set);

/*
 * annotate takes kernels that name no device along with those of the one
 * device of their process: so they are counted together here, or the first
 * indexes would not be its offsets. hosts[]: where each group went; at first
 * series_identity(). False when memory is out.
 */
bool series_merge(struct series_set *set, const struct collect *collect, uint32_t *hosts);

/* 0, 1, ... count - 1; NULL when memory is out. The caller frees them. */
uint32_t *series_identity(size_t count);

/* Counts the streams of each series; the kernels are sorted. False when memory is out. */
bool series_count_streams(struct series_set *set);

void series_free(struct series_set *set);

#endif
