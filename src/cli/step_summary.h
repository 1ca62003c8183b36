/*
 * step_summary.h - what came of a command, on the page of a GitHub job
 *
 * GITHUB_STEP_SUMMARY names a file of Markdown that the runner shows, 1 MiB of
 * it at most. What cannot be written there is a warning and fails nothing.
 */
#ifndef STEP_SUMMARY_H
#define STEP_SUMMARY_H

#include "base/arena.h"
#include "jobs/summary.h"
#include "layertrack.h"

/* Whether the environment names a file. */
bool step_summary_wanted(void);

/* Appends a table and notes behind what the file holds already; nothing when there is no file. */
void step_summary_add(const struct summary *summary);

/* What came of one trace; zeros, then step_summary_of(). */
struct step_row {
    struct rank_result result;
    struct arena memory; /* of its texts */
};

/* The trace, as it was given, "-" being standard input. */
void step_summary_of(struct step_row *row, const char *trace);

/*
 * Appends a table of this row and frees it. `verdict` is of an exit code of 0
 * or 1; what is beyond is refused. *error says why, unless the row does.
 */
void step_summary_end(struct step_row *row, const char *command, const char *verdict, int code,
                      const struct lt_error *error);

#endif
