/*
 * warnings.h - accepted plans that are still worth a warning
 *
 * A plan may be right by every rule and yet be wrong. Three such kinds are
 * found here; none is a reason to refuse, since each is only evidence.
 */
#ifndef WARNINGS_H
#define WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/plan.h"

/*
 * Passes that do not fit the runs of their anchors in time: a capture that
 * starts inside a pass, a wrong number of layers. When the anchors cluster
 * (cluster.h), each pass should be whole runs of them, or each run whole passes.
 */
struct misplaced_passes {
    uint64_t passes; /* that do not fit; 0: none */
    uint64_t pass;   /* the first of them */
    uint64_t run;    /* it lies in a run of so many anchors, which is not whole passes; 0: it reaches over a gap ... */
    uint64_t layer;  /* ... before this layer of it (inside it, with a stride), ... */
    uint64_t gap_ns, usual_ns; /* ... of this length from start to start, the longest inside runs being `usual_ns` */
};

/* Looks at an accepted plan. Memory: 8 bytes per anchor while it does. False when that is out. */
bool warnings_misplaced_passes(const struct plan *plan, struct misplaced_passes *found);

/* Selected anchors that are not all of one kernel: a pattern may match two that alternate. */
struct mixed_names {
    uint64_t others;       /* guides whose anchor has another name than the first guide's; 0: none */
    uint32_t first, other; /* numbers of that name and of the first other one ... */
    uint64_t pass, layer;  /* ... which is there */
};

void warnings_mixed_names(const struct plan *plan, struct mixed_names *found);

/*
 * Two plans that label the very same kernels: two tracks may name one pattern
 * and forget the scopes that tell their phases apart, and then one of the
 * labels is wrong. Plans that share only some of their anchors are no such pair.
 * The hash is equal for them, and hardly ever for others.
 */
uint64_t warnings_hash(const struct plan *plan);

/* Whether the guides of both have the same anchors; names, tids and groups are of the same tables. */
bool warnings_same_kernels(const struct plan *a, const struct plan *b);

#endif
