/*
 * cluster.h - how the occurrences of a name cluster in time
 *
 * Pure: sorted times in, the split out. The rule, in the words that are
 * shown with every finding, is CLUSTER_RULE. It needs no factor tuned to a
 * trace: where gaps inside a pass vary a hundredfold a break must stand out
 * by more than that, where they are alike twice the usual gap is one.
 *
 * A ratio of two between neighbours of the sorted gaps can only lie between
 * two octaves, so that 64 octaves stand for the sorted list: a split costs
 * O(n) time for each of at most 64 candidates, and no memory.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_RULE                                                                                                   \
    "the gaps are sorted, and may be parted where one is at least twice the next smaller and above the median; the "   \
    "first such place from the top that leaves equal runs (the first and last may be shorter) is taken. Else the "     \
    "place with the largest such ratio, if that exceeds the largest gap within a run divided by the median there; "    \
    "else it "                                                                                                         \
    "is one run."

/*
 * Sorted times in any unit, `stride` bytes apart. They may wrap at 2^64: only
 * the gaps between neighbours count.
 */
struct cluster_times {
    const void *first; /* uint64_t */
    size_t stride;
    size_t count;
};

struct cluster_split {
    uint64_t runs;    /* 0 for no times */
    uint64_t median;  /* lower median of the gaps inside runs */
    uint64_t within;  /* largest gap inside a run */
    uint64_t between; /* smallest gap between runs; 0 when there is one run */
};

/* From a time to the next one. */
uint64_t cluster_gap(const struct cluster_times *times, size_t index);

struct cluster_split cluster_split(const struct cluster_times *times);

/* The index behind the run that begins at `from`. */
size_t cluster_end(const struct cluster_times *times, const struct cluster_split *split, size_t from);

#define CLUSTER_SEGMENTS 6

struct cluster_segment {
    uint64_t runs, size;
};

/*
 * The sizes of the runs: in order, neighbours of one size together, when
 * that takes at most CLUSTER_SEGMENTS; else the sizes that hold most
 * occurrences among the first sixteen sizes met, and how many runs are left out.
 */
struct cluster_shape {
    bool in_order;
    unsigned count;
    struct cluster_segment segments[CLUSTER_SEGMENTS];
    uint64_t other_runs;
    bool fits; /* some run has `num_layers` members, and so has every run but the first and the last */
};

/* `num_layers` (0: none) bears on `fits` alone. */
struct cluster_shape cluster_shape(const struct cluster_times *times, const struct cluster_split *split,
                                   uint64_t num_layers);

#endif
