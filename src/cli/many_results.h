/*
 * many_results.h - what came of many traces: shown, said, and written
 */
#ifndef MANY_RESULTS_H
#define MANY_RESULTS_H

#include "base/error.h"
#include "rules/ranks.h"

struct many_results {
    const char *name;                  /* of the command */
    const struct rank_result *results; /* [count] */
    size_t count;
    const uint64_t *passed_over; /* [FILE_KINDS] */
    /* Prints what the command shows in place of a table of ranks; NULL: that. */
    bool (*show)(void *ctx, const struct rank_result *results, const size_t *order, size_t count);
    void *show_ctx;
    const char *summary_path; /* of the JSON, "-": standard output in place of the table; or NULL */
    bool replaces;            /* an earlier summary there is replaced */
    bool quiet;
    const char *refusal; /* why all of them were refused after a look; or NULL */
};

/*
 * Compares the ranks. Prints the table to standard output, says what differs,
 * writes the summary. The exit code is the highest of all, or that of the
 * refusal. LT_IO, LT_USAGE or LT_NO_MEMORY when something could not be shown.
 */
enum lt_status many_results_show(const struct many_results *all, int *exit_code, struct lt_error *error);

#endif
