/*
 * report_match.h - whether a report can be of the trace beside which it is shown
 *
 * The page shows the layers of the report under the name of the trace; that
 * they belong together nobody has checked. Reading the whole trace would
 * (`layertrack verify` does), sizes are known at once.
 */
#ifndef SERVE_REPORT_MATCH_H
#define SERVE_REPORT_MATCH_H

#include "base/text.h"
#include "serve/file.h"

/*
 * Adds a sentence, with its NUL, to *doubt when the report (NULL: the one beside the trace)
 * cannot be of this file. Nothing is added where that is not certain: a gzip
 * file tells its unpacked length, modulo 2^32, only when it is one member.
 * LT_TRACE: what was named as a report is none; LT_IO.
 */
enum lt_status report_match_check(const struct served_file *trace, const char *trace_path, const char *report_path,
                                  struct text *doubt, struct lt_error *error);

#endif
