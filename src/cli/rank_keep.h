/*
 * rank_keep.h - what a job tells while it runs, kept as a rank's result
 */
#ifndef RANK_KEEP_H
#define RANK_KEEP_H

#include "base/arena.h"
#include "layertrack.h"
#include "rules/ranks.h"

/* By the name and the folder of a trace as it was given; of standard input ("-") nothing. */
struct rank rank_keep_by_name(const char *trace);

/* Copies; NULL of NULL, and when memory is out. */
const char *rank_keep_text(struct arena *memory, const char *text);
const uint64_t *rank_keep_runs(struct arena *memory, const uint64_t *runs, size_t count);

/* Takes rank, clock and the first track into a result whose rank is known by name; what memory is too short for is not
 * known. */
void rank_keep_found(struct rank_result *result, struct arena *memory, const struct lt_found *found);

#endif
