/*
 * ranks_messages.h - what differs between ranks, as sentences
 */
#ifndef RANKS_MESSAGES_H
#define RANKS_MESSAGES_H

#include "base/text.h"
#include "rules/ranks.h"

/* What a finding is called in JSON and in a table: "anchors", "passes", "runs", "anchor-name", "time", ... */
const char *ranks_what_name(enum ranks_what what);

/*
 * Appends a finding as one sentence without a point at its end, which names
 * the ranks that differ from the rest, or says that there is no rest. Ranks
 * are named by number or label, or by file where there is neither.
 */
void ranks_finding_text(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                        size_t count);

/* Appends how many ranks of the job there are, "8 of 128 ranks"; nothing when it is all, or the size is not told. */
void ranks_present_text(struct text *text, const struct ranks_comparison *comparison);

/* Appends runs of equal sizes together, "3x36 1x20", of which at most six are shown. */
void ranks_runs_text(struct text *text, const struct rank_result *result);

#endif
