/*
 * resume.h - annotate again: what is done is left as it is, what is missing is done
 */
#ifndef RESUME_H
#define RESUME_H

#include <stdbool.h>

#include "layertrack.h"

/*
 * lt_annotate(), where output and report may be there already. Where both
 * are, made from this source (its stored bytes have the report's hash) with
 * this selection (report_fit.h), *as_before is set, `found` hears what the
 * report tells, and nothing is done. A report of that kind without an output
 * was left by a process that was killed before it had named both: it is made
 * again. Anything else that exists is refused: LT_CLASS_NO_REPORT,
 * LT_CLASS_OTHER_SOURCE, LT_CLASS_OTHER_SELECTION.
 *
 * Temporary files that killed processes left of these two names are removed;
 * where locks are not supported they are left, with the warning
 * LT_CLASS_TEMPORARIES. Any number of processes may do this at once: of those
 * that make the same files one gives them their names, and the others find
 * them as before.
 */
enum lt_status resume_annotate(const struct lt_annotate_options *options, bool *as_before,
                               struct lt_annotate_result *result, struct lt_error *error);

#endif
