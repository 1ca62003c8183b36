/*
 * cluster_exact.h - the figures of a split (cluster.h), exactly
 *
 * A split is made by ticks. Where a start is not told by its ticks alone, the
 * median, the largest and the smallest gap are looked for among the gaps that
 * are near enough to what the split says.
 */
#ifndef CLUSTER_EXACT_H
#define CLUSTER_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/cluster.h"
#include "trace/kernels.h"

struct cluster_figures {
    struct decimal median, within, between; /* as in struct cluster_split; without trailing zeros */
};

/*
 * The split of kernels from `first` on, of which there are at least two and
 * which kernels_relate() has seen. Memory while it runs: 32 bytes for each
 * gap beside an odd kernel. False when memory is out.
 */
bool cluster_exact(const struct kernels *kernels, size_t first, const struct cluster_times *times,
                   const struct cluster_split *split, struct cluster_figures *gaps);

#endif
