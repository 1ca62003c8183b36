/*
 * summary_text.h - what came of many traces in one command, for people
 *
 * Both forms append text that holds no command of a build's log (base/line.h),
 * rows in the order of ranks. False when memory is out.
 */
#ifndef SUMMARY_TEXT_H
#define SUMMARY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "jobs/summary.h"

/*
 * A table in columns of a terminal, a line for each rank: rank and label, pid,
 * device, anchors, offset, passes, start of the first label and end of the
 * last one, warnings, verdict, file. `-` is what is not known. The verdict of
 * a rank that differs from the rest says in what.
 */
bool summary_table(const struct summary *summary, struct text *out);

/*
 * Notes: one for each finding of the comparison, in its order, one on how many
 * ranks of the job there are, one on those that an earlier run had done, and
 * one on the files that were passed over.
 * `note` is emptied before, and stays so where there is nothing to say.
 */
size_t summary_note_count(const struct summary *summary);
void summary_note(struct text *note, const struct summary *summary, size_t number);

/* What GitHub takes of one step (GITHUB_STEP_SUMMARY), in bytes. */
#define SUMMARY_MARKDOWN_MOST ((size_t)1 << 20)

/*
 * All of that as Markdown, and why which rank was refused, in at most `most` bytes (of which less than 4096 is
 * taken as 4096). Where a table of all ranks is longer, rows of refused ranks, of
 * those that differ or have warnings stay before others; a line says how
 * many rows, or findings, were left out. Names show as they are, whatever
 * Markdown would make of them.
 */
bool summary_markdown(const struct summary *summary, size_t most, struct text *out);

#endif
