/*
 * doubt.h - passes that do not fit the runs of their anchors in time
 *
 * A plan may be right by every rule and its passes still begin in the wrong
 * place: a capture that starts inside a pass, a wrong number of layers. When
 * the anchors cluster in time (cluster.h), each pass should be whole runs of
 * them, or each run whole passes. One that fits neither way is worth a
 * warning; it is no reason to refuse, since a run is only evidence.
 */
#ifndef DOUBT_H
#define DOUBT_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/plan.h"

struct doubt {
    uint64_t passes; /* that do not fit; 0: no doubt */
    uint64_t pass;   /* the first of them */
    uint64_t run;    /* it lies in a run of so many anchors, which is not whole passes; 0: it reaches over a gap ... */
    uint64_t layer;  /* ... before this layer of it (inside it, with a stride), ... */
    uint64_t gap_ns, usual_ns; /* ... of this length from start to start, the longest inside runs being `usual_ns` */
};

/* Looks at an accepted plan. Memory: 8 bytes per anchor while it does. False when that is out. */
bool doubt_find(const struct plan *plan, struct doubt *doubt);

/* Selected anchors that are not all of one kernel: a pattern may match two that alternate. */
struct doubt_names {
    uint64_t others;       /* guides whose anchor has another name than the first guide's; 0: no doubt */
    uint32_t first, other; /* numbers of that name and of the first other one ... */
    uint64_t pass, layer;  /* ... which is there */
};

void doubt_names_find(const struct plan *plan, struct doubt_names *doubt);

#endif
