/*
 * summary.h - what came of many traces in one command, as JSON
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "base/text.h"
#include "jobs/file_kind.h"
#include "rules/ranks.h"

struct summary {
    const char *command;               /* "annotate" */
    const struct rank_result *results; /* [count] */
    size_t count;
    const struct ranks_comparison *comparison; /* of these results */
    const uint64_t *passed_over;               /* [FILE_KINDS] */
    int exit_code;                             /* the worst */
};

/* How many results have an exit code other than 0, and how many of the others an earlier run had done. */
size_t summary_refused(const struct summary *summary);
size_t summary_resumed(const struct summary *summary);

/* Whether a file begins as summary_json() does: it may be replaced by another one. */
bool summary_is_ours(const char *path);

/*
 * Appends one JSON object with a line for each rank and finding:
 *
 *   schema_version  1
 *   tool_version, command, exit_code
 *   traces, done, refused, resumed, warnings: counts; traces = done + refused + resumed
 *   ranks_present   distinct ranks, by number
 *   world_size      how many the job has, or null
 *   passed_over     an object: file_kind_key() and a count, of those that are not 0
 *   findings        what, tie, sentence, and groups: of each the value that its ranks have in common, and ranks:
 *                   indices in the array `ranks` below. The first group is the rest, unless there is a tie. The value
 *                   is a number (anchors, passes, world-size; time: ns from the first group, below 0 when before it), a
 *                   string (anchor-name), pairs of count and size (runs), or null (twice)
 *   ranks           file, output, rank, rank_from (content, name or folder), named_rank (what name or folder say, where
 *                   the trace's own word is another), label, pid, device, anchors, anchor_name, runs (pairs of count
 *                   and size), offset, passes, first_us, last_us (exact), base_time_ns, warnings, differs_in (array of
 *                   findings' `what`), verdict, class, message, exit_code; null is what is not known
 *
 * False when memory is out.
 */
bool summary_json(const struct summary *summary, struct text *out);

#endif
