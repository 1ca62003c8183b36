/*
 * ranks_place.h - whether one rule (the K-th run) means one place in all ranks
 *
 * Pure. Captures begin at different moments, and nothing in one rank tells
 * that its third run is another's sixth. Their clocks do, where each rank has
 * one; else only runs that are the same can tell.
 */
#ifndef RANKS_PLACE_H
#define RANKS_PLACE_H

#include "rules/ranks.h"

enum ranks_place {
    RANKS_SAME_PLACE,
    RANKS_OTHER_START, /* by their clocks the first passes begin half a pass apart or more */
    RANKS_OTHER_RUNS   /* without clocks: their runs differ, from the first one that is labelled on or before it */
};

struct ranks_places {
    enum ranks_place place;
    size_t one, other; /* two ranks that are apart */
    int64_t apart_ns;  /* of RANKS_OTHER_START: from the start of `one` to that of `other` */
};

/*
 * Compares the accepted ranks, those of each stage of a pipeline among
 * themselves. `from_end`: the rule counts runs from the end, so that those
 * before the labelled ones do not matter.
 */
struct ranks_places ranks_place(const struct rank_result *results, size_t count, bool from_end);

#endif
